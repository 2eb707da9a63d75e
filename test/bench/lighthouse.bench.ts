import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import lighthouse, { type Flags } from 'lighthouse'
import { chromium } from 'playwright-core'
import * as z from 'zod'
import { freePort } from '../../infra/local/free-port.ts'
import { mintToken } from '../../infra/local/identity/mint-token.ts'
import { loadSigningKey } from '../../infra/local/identity/signing-key.ts'
import { chromiumPath } from '../support/browser/launch-browser.ts'
import { readArguments, readCount } from '../support/run/read-arguments.ts'
import { stackWorkspace } from '../support/stack/running-stack.ts'

/**
 * Measures the explorer with Lighthouse's mobile profile, signed in, in both languages: the median of `runs` by its
 * performance. Starts a stack of its own.
 */
const usage = `Usage: npm run lighthouse [-- <runs>]
  <runs>  how many visits in each language, of which the median is printed (3)`

const runs = readArguments(usage, { allowPositionals: true }, ({ positionals: [count = '3', ...others] }) => {
  if (others.length > 0) throw new Error(`Name one number of runs, not ${[count, ...others].join(' ')}`)
  return readCount('The number of runs', count, 1_000)
})

const traceEvent = z.object({
  name: z.string(),
  pid: z.number(),
  tid: z.number(),
  ts: z.number(),
  tdur: z.number().optional(),
  args: z.object({ data: z.object({ documentLoaderURL: z.string().optional() }).optional() }).optional(),
})
type TraceEvent = z.output<typeof traceEvent>
const trace = z.object({ Trace: z.object({ traceEvents: z.array(traceEvent) }) })

const metrics = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift']

interface Measured {
  readonly scores: Readonly<Record<string, number>>
  readonly values: readonly string[]
  /** The blocking time by what each task used of the processor: a busy machine only makes it a little longer. */
  readonly processorMs: number
  /** How fast the machine was during the run: about 1,500 and more when it is idle. */
  readonly speed: number
}

/** One visit in a browser that has never been there. */
async function measure(url: string, token: string): Promise<Measured> {
  const port = await freePort()
  const profile = join(tmpdir(), `table-control-lighthouse-${port}`)
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath(),
    args: [`--remote-debugging-port=${port}`, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    viewport: null,
  })
  try {
    // Pages without an origin, such as about:blank, have no storage.
    await context.addInitScript(`try { sessionStorage.setItem('explorer-token', '${token}') } catch {}`)
    const flags: Flags = { port, output: 'json', logLevel: 'error', disableStorageReset: true }
    const result = await lighthouse(url, flags)
    if (result === undefined) throw new Error(`Lighthouse returned nothing for ${url}`)
    const { categories, audits, environment } = result.lhr
    const { traceEvents } = trace.parse(result.artifacts).Trace
    return {
      scores: Object.fromEntries(
        Object.values(categories).map(({ title, score }) => [title, Math.round((score ?? 0) * 100)]),
      ),
      values: metrics.map((name) => audits[name]?.displayValue ?? ''),
      processorMs: blockingMs(traceEvents),
      speed: Math.round(environment.benchmarkIndex),
    }
  } finally {
    await context.close()
    await rm(profile, { recursive: true, force: true })
  }
}

const slowdown = 4
const longTaskMs = 50

/** Adds up what the page's tasks took above 50 ms of a processor that is four times slower. */
function blockingMs(events: readonly TraceEvent[]): number {
  const start = events.find(({ name, args }) => {
    const { data } = args ?? {}
    return name === 'navigationStart' && data?.documentLoaderURL?.includes('/explorer')
  })
  const tasks = events.filter(({ name, tid, pid, ts }) => {
    return name === 'RunTask' && start !== undefined && tid === start.tid && pid === start.pid && ts >= start.ts
  })
  const blocking = tasks.map(({ tdur = 0 }) => Math.max((tdur / 1_000) * slowdown - longTaskMs, 0))
  return Math.round(blocking.reduce((sum, ms) => sum + ms, 0))
}

const workspace = await stackWorkspace()
try {
  const { base_url: base } = await workspace.start(await freePort()).ready()
  const token = mintToken(loadSigningKey(workspace.directory), { subject: 'sam', claims: { role: 'supervisor' } })
  console.log(
    `| language | categories | FCP | LCP | TBT | CLS | TBT by processor time | machine |\n| - | - | - | - | - | - | - | - |`,
  )
  for (const language of ['en', 'ar']) {
    const measured: Measured[] = []
    for (let run = 0; run < runs; run += 1) {
      measured.push(await measure(`${base}/explorer#bird_strikes?ln=${language}`, token))
    }
    const sorted = measured.sort((one, other) => (one.scores['Performance'] ?? 0) - (other.scores['Performance'] ?? 0))
    const median = sorted[Math.floor(sorted.length / 2)]
    if (median === undefined) throw new Error('runs must be 1 or more')
    const { scores, values, processorMs, speed } = median
    const all = Object.entries(scores).map(([name, score]) => `${name} ${score}`)
    console.log(`| ${language} | ${all.join(', ')} | ${values.join(' | ')} | ${processorMs} ms | ${speed} |`)
  }
} finally {
  await workspace.remove()
}
