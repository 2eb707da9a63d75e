import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { mintToken } from '../../infra/local/identity/mint-token.ts'
import { loadSigningKey } from '../../infra/local/identity/signing-key.ts'
import { localDirectory } from '../../infra/local/local-directory.ts'
import { launchBrowser } from '../support/browser/launch-browser.ts'
import { readArguments } from '../support/run/read-arguments.ts'

const usage = `Usage: npm run picture
Draws the picture of the README anew, from the explorer that a running npm start serves.`

const directory = localDirectory()
const facts = z.object({ explorer_url: z.string() })

function readFacts(): unknown {
  try {
    return JSON.parse(readFileSync(join(directory, 'stack.json'), 'utf8'))
  } catch {
    return undefined
  }
}

const url = readArguments(usage, {}, () => {
  const { data } = facts.safeParse(readFacts())
  if (data === undefined) throw new Error(`No service with an explorer runs on ${directory}: start one by npm start`)
  return data.explorer_url
})
const token = mintToken(loadSigningKey(directory), { subject: 'alice', claims: { states: ['Texas', 'Ohio'] } })
const browser = await launchBrowser()
// As wide as the README shows it: each pixel more is bytes that everybody downloads.
const page = await browser.newPage({ viewport: { width: 1280, height: 640 }, colorScheme: 'light' })
await page.addInitScript(`sessionStorage.setItem('explorer-token', '${token}')`)
const hidden = ['operator', 'wildlife_size', 'phase', 'time_of_day', 'speed_knots']
  .map((name) => `&column=-${name}`)
  .join('')
await page.goto(`${url}#bird_strikes?ln=en&q=intl&sort=-cost_total&total=sum:cost_total${hidden}`)
await page.locator('#rows tbody mark').first().waitFor()
await page.locator('tfoot .total bdi', { hasText: /\d/ }).waitFor()
await page.screenshot({ path: resolve(import.meta.dirname, '../../infra/explorer/explorer.png') })
await browser.close()
