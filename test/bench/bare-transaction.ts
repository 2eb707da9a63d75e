import type { Row, Sql } from 'postgres'

const columns = `id, to_char(flight_date, 'YYYY-MM-DD'), airport_name, origin_state, operator, aircraft_model, species,
  wildlife_size, phase, time_of_day, speed_knots, damage, cost_total, status, flagged, risk, assignee, note,
  to_char(reviewed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI')`

/**
 * Runs the statements of the action `flag`, written by hand: lock, change, read again, audit. Resolves with the row.
 */
export const bareTransaction = (sql: Sql, id: number): Promise<Row | undefined> =>
  sql.begin(async (transaction) => {
    const run = (text: string, values: readonly (string | number)[]) =>
      transaction.unsafe(text, [...values], { prepare: true })
    await run('select * from bird_strikes where not archived and id = $1 for update', [id])
    await run('update bird_strikes set flagged = not flagged where id = $1', [id])
    const [[row]] = await Promise.all([
      run(`select ${columns} from bird_strikes where not archived and id = $1`, [id]),
      run(
        `insert into table_control.audit (subject, table_name, action, guard, kind, rows, outcome, request_id)
          values ($1, 'bird_strikes', 'flag', 'api', 'row', 1, 'succeeded', $2)`,
        ['bench', 'bench'],
      ),
    ])
    return row
  })
