import postgres, { type Sql } from 'postgres'
import { drive, type LoadSample } from '../drive.ts'
import { atLeast, type Figure, type Question } from '../figure.ts'
import { environment, startKeys, token } from '../installation.ts'
import { startProcess, told } from '../process.ts'
import type { HttpLoad } from '../processes/http-load.bench.ts'
import { interleaved, median, ratio } from '../rounds.ts'

const rounds = 9
const milliseconds = 700
const connections = 8
const rows = 1_000

const path = '/api/api-table/control-tables/row-table-action/bird_strikes/flag'

const requestText = (caller: string, id: number): string =>
  [
    `POST ${path}/${id} HTTP/1.1`,
    'host: 127.0.0.1:3000',
    `authorization: Bearer ${caller}`,
    'content-type: application/json',
    'content-length: 2',
    '',
    '{}',
  ].join('\r\n')

const columns = `id, to_char(flight_date, 'YYYY-MM-DD'), airport_name, origin_state, operator, aircraft_model, species,
  wildlife_size, phase, time_of_day, speed_knots, damage, cost_total, status, flagged, risk, assignee, note,
  to_char(reviewed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI')`

/** What the action does to the database, by hand: lock, change, read again, write to the audit. */
const bareTransaction = (sql: Sql, id: number) =>
  sql.begin(async (transaction) => {
    const run = (text: string, values: readonly (string | number)[]) =>
      transaction.unsafe(text, [...values], { prepare: true })
    await run('select * from bird_strikes where not archived and id = $1 for update', [id])
    await run('update bird_strikes set flagged = not flagged where id = $1', [id])
    await Promise.all([
      run(`select ${columns} from bird_strikes where not archived and id = $1`, [id]),
      run(
        `insert into table_control.audit (subject, table_name, action, guard, kind, rows, outcome, request_id)
          values ($1, 'bird_strikes', 'flag', 'api', 'row', 1, 'succeeded', $2)`,
        ['bench', 'bench'],
      ),
    ])
  })

type Sides = Readonly<Record<'action' | 'bare', () => Promise<LoadSample>>>

async function compared(inFlight: number, sides: Sides): Promise<Figure> {
  const samples = await interleaved(rounds, sides)
  const rates = (side: keyof Sides) => samples[side].map(({ rate }) => rate)
  const times = ratio(rates('action'), rates('bare'))
  const described = `${median(rates('action')).toFixed(0)}/s, bare transaction ${median(rates('bare')).toFixed(0)}/s`
  return atLeast(`rate, ${inFlight} in flight`, times, 0.7, `${times.toFixed(2)} x (${described})`, ' x')
}

/** A row action as a client of the local stack sees it, beside the transaction alone. */
export const rowActions: Question = {
  id: 'row-actions',
  asks: 'What does a row action cost beside its bare transaction?',
  method: `\`flag\` of bird_strikes through the local gateway, in a process of its own with ${connections} connections to the database, and the same statements in a transaction of postgres.js without any HTTP; ${rows} rows in turn, ${rounds} rounds of ${milliseconds} ms, alternating.`,
  answer: async ({ databaseUrl, report }) => {
    const keys = await startKeys()
    const caller = token('bench', { role: 'supervisor' })
    report('starting the server')
    const gateway = startProcess('gateway', [], environment(databaseUrl, keys.jwksUrl, connections))
    const load = startProcess('http-load', [], {})
    const sql = postgres(databaseUrl, { max: connections, fetch_types: false, onnotice: () => undefined })
    try {
      const port = await told<number>(gateway)
      const requests = Array.from({ length: rows }, (_, index) => requestText(caller, index + 1))
      const figures: Figure[] = []
      for (const inFlight of [1, connections]) {
        let next = 0
        const action = (): Promise<LoadSample> => {
          const work: HttpLoad = { port, requests, inFlight, milliseconds }
          load.send(work)
          return told<LoadSample>(load)
        }
        const bare = () => drive(() => bareTransaction(sql, (next++ % rows) + 1), inFlight, milliseconds)
        figures.push(await compared(inFlight, { action, bare }))
      }
      return figures
    } finally {
      for (const child of [gateway, load]) child.disconnect()
      await Promise.all([sql.end({ timeout: 1 }), keys.stop()])
    }
  },
}
