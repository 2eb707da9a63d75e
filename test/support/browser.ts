import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Starts the Chromium of this machine, or that of CHROMIUM_PATH, without a window. Throws where there is none: nothing is skipped. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? places.find((path) => existsSync(path))
  if (executablePath === undefined) {
    throw new Error(
      'These tests need Chromium. Install it: apt-get update && apt-get install -y --no-install-recommends chromium',
    )
  }
  // Chromium has no sandbox for root, which is who runs CI.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args })
}
