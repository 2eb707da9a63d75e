import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** Returns the text of a library that runs in the page, which its policy would not let in from elsewhere. */
export const readLibrary = (path: string): string => readFileSync(createRequire(import.meta.url).resolve(path), 'utf8')

/** Resolves when all that fades or slides has arrived; what turns for ever is not waited for. */
const movesEnd = `(async () => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))
  const moves = document.getAnimations().filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
  await Promise.allSettled(moves.map(({ finished }) => finished))
})()`

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Returns the violations that axe finds in the page, or in a part of it, one line each. */
export async function pageViolations(page: Page, within = 'html'): Promise<readonly string[]> {
  // A part of the page that is loaded first is not there yet.
  await page.locator(within).first().waitFor()
  await page.evaluate(movesEnd)
  const isLoaded = await page.evaluate('globalThis.axe !== undefined')
  if (!isLoaded) await page.evaluate(readLibrary('axe-core/axe.min.js'))
  // Without `resultTypes` half of the work is the list of everything that is in order.
  const run = `axe.run('${within}', { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] })`
  const violations = (await page.evaluate(`${run}.then(({ violations }) => violations)`)) as AxeResults['violations']
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}
