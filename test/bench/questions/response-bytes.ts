import { queryTable, tableEndpoint } from '#lib'
import { registry } from '#tables'
import { createTokenVerifier } from '../../../lib/auth/token-verifier.ts'
import { createDatabase } from '../../../lib/db/database.ts'
import { drive, type LoadSample } from '../drive.ts'
import { atMost, type Bench, type Figure, type Question } from '../figure.ts'
import { flightsEvent } from '../flights-request.ts'
import { settings, token } from '../installation.ts'
import { interleave, median, ratio } from '../rounds.ts'

const rounds = 11
const stretchMs = 400

/** The forms in which a client may ask for the same page. */
const forms = {
  plain: {},
  gzip: { accepted: 'gzip' },
  br: { accepted: 'br' },
  keys: { rowActions: 'keys' },
  'keys with br': { rowActions: 'keys', accepted: 'br' },
} as const satisfies Readonly<Record<string, { readonly accepted?: string; readonly rowActions?: 'keys' }>>

type Form = keyof typeof forms

const isForm = (name: string): name is Form => Object.hasOwn(forms, name)

/** A page of bird strikes, and what Lambda's runtime does with it. */
function openPages(bench: Bench, perPage: number) {
  const config = settings(bench, 1)
  const database = createDatabase(config)
  const service = { config, database, verifier: createTokenVerifier(config) }
  const handler = tableEndpoint(registry, { name: 'queryTableData', run: queryTable }, () => service)
  const caller = token('bench', { role: 'supervisor' })
  const call = (form: Form) => {
    const { accepted, rowActions } = { accepted: undefined, rowActions: undefined, ...forms[form] }
    const asked = flightsEvent(caller, { perPage, ...(rowActions !== undefined && { row_actions: rowActions }) })
    const headers = { ...asked.headers, ...(accepted !== undefined && { 'accept-encoding': accepted }) }
    const event = { ...asked, headers, pathParameters: { tableName: 'bird_strikes' } }
    return async () => {
      const result = await handler(event)
      if (result.statusCode !== 200) throw new Error(`query-table answered ${result.statusCode}: ${result.body}`)
      JSON.stringify(result)
      return Buffer.byteLength(result.body ?? '', result.isBase64Encoded === true ? 'base64' : 'utf8')
    }
  }
  return { call, close: database.close }
}

async function compare(bench: Bench, perPage: number): Promise<readonly Figure[]> {
  bench.report(`${perPage} rows`)
  const pages = openPages(bench, perPage)
  try {
    const names = Object.keys(forms).filter(isForm)
    const bytes = new Map<Form, number>()
    for (const name of names) bytes.set(name, await pages.call(name)())
    const variant = (name: Form) => [name, () => drive(pages.call(name), 1, stretchMs)] as const
    const variants = Object.fromEntries(names.map(variant)) as Record<Form, () => Promise<LoadSample>>
    const samples = await interleave(rounds, variants)
    const measureCpu = (name: Form) => samples[name].map(({ cpuMicros }) => cpuMicros)
    return names.map((name) => {
      const share = ratio(measureCpu(name), measureCpu('plain'))
      const text = `${bytes.get(name)} bytes, ${share.toFixed(2)} x of the CPU (${median(measureCpu(name)).toFixed(0)} us)`
      return atMost(`${perPage} rows, ${name}`, share, 1.05, text, ' x')
    })
  } finally {
    await pages.close()
  }
}

/** Measures the bytes of a page in each form, and the processor time of making it. */
export const responseBytes: Question = {
  id: 'response-bytes',
  asks: 'What does a page weigh as it is sent, and what does compressing it cost?',
  method: `A page of bird strikes, in process on one connection, one request at a time, ${rounds} rounds of ${stretchMs} ms, alternating; CPU is that of the whole process for each request, the result's text as Lambda's runtime writes it included.`,
  measure: async (bench) => [...(await compare(bench, 20)), ...(await compare(bench, 100))],
}
