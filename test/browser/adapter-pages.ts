import { createServer } from 'node:http'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, onTestFinished } from 'vitest'
import { listen } from '../../infra/local/listen.ts'
import { supervisor } from '../support/browser/explorer-page.ts'
import { launchBrowser } from '../support/browser/launch-browser.ts'
import { startDemoStack } from '../support/stack/demo-stack.ts'

const folder = resolve(import.meta.dirname, 'pages')

const html = (name: string) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${name}</title><link rel="icon" href="data:,">
<pre id="error"></pre><div id="grid" style="width: 1000px; height: 600px"></div>
<script type="module" src="/${name}.js"></script></html>`

/** The page of a grid as one script. */
async function buildScript(name: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [resolve(folder, `${name}.ts`)],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}

/** Serves a page for each grid, on an origin of its own, as a frontend would be. */
async function servePages() {
  const scripts = new Map<string, Promise<Uint8Array>>()
  const server = createServer(async ({ url = '' }, response) => {
    const [, name = '', script] = /^\/([a-z-]+)(\.js)?/.exec(url) ?? []
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
    if (script === undefined) return response.end(html(name))
    const built = scripts.get(name) ?? buildScript(name)
    scripts.set(name, built)
    response.end(await built.catch((error: unknown) => `throw new Error(${JSON.stringify(String(error))})`))
  })
  const { url: origin, stop } = await listen(server)
  return { origin, stop }
}

/** Starts a browser, a stack and the pages of the grids. All of them end after the tests of the file. */
export async function startAdapterPages() {
  const browser = await launchBrowser()
  const pages = await servePages()
  const stack = await startDemoStack({ ALLOWED_ORIGINS: pages.origin })
  afterAll(async () => {
    await browser.close()
    await pages.stop()
    await stack.stop()
  })
  /** `watch` gets the page before it is opened. */
  const openPage = async (name: string, watch?: (page: Page) => void) => {
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    watch?.(page)
    await page.goto(`${pages.origin}/${name}?base=${stack.facts().base_url}&token=${stack.createToken(supervisor)}`)
    return page
  }
  return { stack, openPage }
}

/** Runs a line of script in the page. */
export const run = (page: Page, line: string): Promise<unknown> => page.evaluate(line)
