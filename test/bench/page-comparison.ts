import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { brotliDecompressSync } from 'node:zlib'
import type { Bench } from './figure.ts'
import { type Coding, requestText, sendOnce } from './http-connection.ts'
import { token } from './installation.ts'
import { type FormName, type PageForm, pageForms, startServers } from './peer-servers.ts'
import { startProcess } from './process.ts'
import { hasProcessFigures } from './process-figures.ts'
import { interleave, median, ratio } from './rounds.ts'
import { measureServer, type ServerSample } from './server-load.ts'

export const clientCounts = [1, 10, 50] as const
export const codings = ['none', 'br'] as const satisfies readonly Coding[]

/** How long everything is measured. */
export interface Extent {
  readonly rounds: number
  readonly milliseconds: number
  readonly warmUpMs: number
}

/** One server's rate with so many clients. */
export interface PageFigure {
  readonly form: FormName
  readonly coding: Coding
  readonly clients: number
  readonly bytes: number
  readonly ratePerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The rate beside that of the handler by hand with the same bytes, in the same rounds. */
  readonly ofLimit: number
  /** Processor time of the server's process for each response; absent where the system does not tell. */
  readonly cpuMicros?: number
}

interface Target {
  readonly form: (typeof pageForms)[number]
  readonly port: number
  readonly pid: number
}

/** Fails unless every server answers with the same rows and total, and the limit with the same bytes as the service. */
async function assertSamePages(targets: readonly Target[], caller: string): Promise<ReadonlyMap<string, number>> {
  const bytes = new Map<string, number>()
  for (const coding of codings) {
    const bodies = new Map<FormName, Buffer>()
    for (const { form, port } of targets) {
      const body = await sendOnce(port, requestText(form, caller, coding))
      bodies.set(form.name, body)
      bytes.set(`${form.name} ${coding}`, body.length)
    }
    const readPage = ({ name, read }: Pick<PageForm, 'read'> & { readonly name: FormName }) => {
      const body = bodies.get(name) ?? Buffer.alloc(0)
      return read(JSON.parse((coding === 'br' ? brotliDecompressSync(body) : body).toString()))
    }
    const [own, ...others] = targets.map(({ form }) => ({ name: form.name, page: readPage(form) }))
    assert.equal(own?.page.rows.length, 20)
    for (const { name, page } of others) assert.deepEqual(page, own?.page, `${name} answers with other rows`)
    assert.deepEqual(bodies.get('by hand'), bodies.get('Table Control'))
    assert.deepEqual(bodies.get('by hand, action keys'), bodies.get('Table Control, action keys'))
  }
  return bytes
}

const limitBeside = (form: FormName): FormName => (form.endsWith('action keys') ? 'by hand, action keys' : 'by hand')

interface Load {
  readonly process: ChildProcess
  readonly targets: readonly Target[]
  readonly caller: string
  readonly extent: Extent
}

type Variants = Record<FormName, () => Promise<ServerSample>>

async function measure(
  { process, targets, caller, extent }: Load,
  coding: Coding,
  clients: number,
  bytes: ReadonlyMap<string, number>,
): Promise<readonly PageFigure[]> {
  const { milliseconds } = extent
  const put =
    ({ form, port, pid }: Target) =>
    () => {
      const requests = [requestText(form, caller, coding)]
      return measureServer(pid, process, { port, requests, inFlight: clients, milliseconds })
    }
  const variants = Object.fromEntries(targets.map((target) => [target.form.name, put(target)] as const))
  const samples = await interleave<FormName, ServerSample>(extent.rounds, variants as Variants)
  const list = (form: FormName, key: 'rate' | 'p50Ms' | 'p99Ms' | 'serverCpuMicros') =>
    samples[form].map((sample) => sample[key])
  return targets.map(({ form: { name } }) => ({
    form: name,
    coding,
    clients,
    bytes: bytes.get(`${name} ${coding}`) ?? Number.NaN,
    ratePerSecond: median(list(name, 'rate')),
    p50Ms: median(list(name, 'p50Ms')),
    p99Ms: median(list(name, 'p99Ms')),
    ofLimit: ratio(list(name, 'rate'), list(limitBeside(name), 'rate')),
    ...(hasProcessFigures() && { cpuMicros: median(list(name, 'serverCpuMicros')) }),
  }))
}

/** Measures one page of flights over HTTP at every server, after they were shown to answer the same. */
export async function comparePages(bench: Bench, extent: Extent): Promise<readonly PageFigure[]> {
  const { report } = bench
  const caller = token()
  const servers = await startServers(bench, caller)
  const process = startProcess('http-load', [], {})
  try {
    const targets = pageForms.map((form) => {
      const server = servers.find(({ name }) => name === form.server)
      return { form, port: server?.port ?? 0, pid: server?.child.pid ?? 0 }
    })
    const bytes = await assertSamePages(targets, caller)
    const load = { process, targets, caller, extent }
    report('warming up')
    for (const coding of codings)
      await measure({ ...load, extent: { ...extent, rounds: 0, milliseconds: extent.warmUpMs } }, coding, 10, bytes)
    const figures: PageFigure[] = []
    for (const coding of codings) {
      for (const clients of clientCounts) {
        report(`${clients} clients, ${coding === 'none' ? 'no compression' : 'Brotli'}`)
        figures.push(...(await measure(load, coding, clients, bytes)))
      }
    }
    return figures
  } finally {
    for (const child of [process, ...servers.map((server) => server.child)]) child.disconnect()
  }
}
