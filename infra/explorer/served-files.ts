import { readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BuiltPage } from './build.ts'

const sources = resolve(import.meta.dirname, 'page')

let built: { readonly changed: number; readonly page: Promise<BuiltPage> } | undefined

/** The page as its sources are now: built when it is first asked for, and again after each change. */
export function explorerFiles(): Promise<BuiltPage> {
  const changed = lastChange()
  if (built?.changed !== changed) built = { changed, page: build() }
  return built.page
}

/** Loads the builder, which is only on a developer's machine, with the first request. */
async function build(): Promise<BuiltPage> {
  const { buildPage } = await import('./build.ts')
  return buildPage(5)
}

const lastChange = (): number =>
  Math.max(
    ...readdirSync(sources, { recursive: true, encoding: 'utf8' }).map(
      (path) => statSync(resolve(sources, path)).mtimeMs,
    ),
  )
