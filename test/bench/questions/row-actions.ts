import type { ChildProcess } from 'node:child_process'
import postgres from 'postgres'
import { bareTransaction } from '../bare-transaction.ts'
import { drive } from '../drive.ts'
import { atLeast, type Figure, type Question } from '../figure.ts'
import { requestText, sendOnce } from '../http-connection.ts'
import { environment, token } from '../installation.ts'
import { nextMessage, startProcess } from '../process.ts'
import { interleave, median, ratio } from '../rounds.ts'
import { measureServer, type ServerSample } from '../server-load.ts'

const rounds = 9
const milliseconds = 700
const connections = 8
const rows = 1_000

const path = '/api/api-table/control-tables/row-table-action/bird_strikes/flag'

type Side = 'action' | 'limit' | 'bare'

type Sides = Readonly<Record<Side, () => Promise<ServerSample>>>

async function compareActions(inFlight: number, sides: Sides): Promise<readonly Figure[]> {
  const samples = await interleave(rounds, sides)
  const rates = (side: Side) => samples[side].map(({ rate }) => rate)
  const beside = (other: Side, name: string) => {
    const times = ratio(rates('action'), rates(other))
    const described = `${median(rates('action')).toFixed(0)}/s, ${name} ${median(rates(other)).toFixed(0)}/s`
    return { times, text: `${times.toFixed(2)} x (${described})` }
  }
  const bare = beside('bare', 'bare transaction')
  const limit = beside('limit', 'limit')
  const describeCpu = (side: Side) =>
    `${median(samples[side].map(({ serverCpuMicros }) => serverCpuMicros)).toFixed(0)} us`
  const cpu = `${describeCpu('action')} (limit ${describeCpu('limit')})`
  return [
    atLeast(`rate, ${inFlight} in flight`, bare.times, 0.75, bare.text, ' x'),
    { name: `rate beside the bare transaction behind node:http, ${inFlight} in flight`, measured: limit.text },
    { name: `CPU of the server's process for each action, ${inFlight} in flight`, measured: cpu },
  ]
}

/** A row action as a client of the local stack sees it, beside the transaction alone. */
export const rowActions: Question = {
  id: 'row-actions',
  asks: 'What does a row action cost beside its bare transaction?',
  method: `\`flag\` of bird_strikes through the local gateway, in a process of its own with ${connections} connections to the database, and the same statements in a transaction of postgres.js without any HTTP; ${rows} rows in turn, ${rounds} rounds of ${milliseconds} ms, alternating. The limit is that transaction behind \`node:http\` in a process of its own, which does nothing else and answers with as many bytes.`,
  measure: async (bench) => {
    const caller = token('bench', { role: 'supervisor' })
    const env = environment(bench, connections)
    const requests = Array.from({ length: rows }, (_, index) =>
      requestText({ path: `${path}/${index + 1}`, body: {} }, caller),
    )
    bench.report('starting the servers')
    const children = [startProcess('gateway', [], env), startProcess('http-load', [], {})]
    const [gateway, load] = children as [ChildProcess, ChildProcess]
    const sql = postgres(bench.databaseUrl, { max: connections, fetch_types: false, onnotice: () => undefined })
    try {
      const port = await nextMessage<number>(gateway)
      const { length } = await sendOnce(port, requests[0] ?? '')
      const limit = startProcess('transaction', [String(length)], env)
      children.push(limit)
      const limitPort = await nextMessage<number>(limit)
      const figures: Figure[] = []
      for (const inFlight of [1, connections]) {
        let next = 0
        const put = (to: number, server: ChildProcess) => () =>
          measureServer(server.pid ?? 0, load, { port: to, requests, inFlight, milliseconds })
        const bare = async (): Promise<ServerSample> => {
          const sample = await drive(() => bareTransaction(sql, (next++ % rows) + 1), inFlight, milliseconds)
          return { ...sample, serverCpuMicros: sample.cpuMicros }
        }
        const sides = { action: put(port, gateway), limit: put(limitPort, limit), bare }
        figures.push(...(await compareActions(inFlight, sides)))
      }
      return figures
    } finally {
      for (const child of children) child.disconnect()
      await sql.end({ timeout: 1 })
    }
  },
}
