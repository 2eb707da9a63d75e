import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The first has no windows, so that a page costs less than half the processor time. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * Returns where the Chromium of this machine is, or that of CHROMIUM_PATH. Throws where there is none: nothing is
 * skipped.
 */
export function chromiumPath(): string {
  const executablePath = process.env['CHROMIUM_PATH'] ?? places.find((path) => existsSync(path))
  if (executablePath === undefined) {
    throw new Error(
      'These tests need Chromium. Install it (apt-get update && apt-get install -y --no-install-recommends ' +
        'chromium-headless-shell), install Google Chrome on macOS, or set CHROMIUM_PATH',
    )
  }
  return executablePath
}

/** Starts Chromium without a window. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = chromiumPath()
  // Chromium has no sandbox for root, which is who runs CI.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args })
}
