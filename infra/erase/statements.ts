/** Rows to erase. In the conditions, `$1` is the table and `$2` the key of the row. */
export interface Place {
  readonly name: string
  /** A table of the schema `table_control`. */
  readonly from: string
  readonly takes: 'row' | 'table' | 'nothing'
  /** Is false for a row that has been erased. */
  readonly where: string
  /** The assignments that empty a row; absent for rows that are removed. */
  readonly set?: string
  /** How many rows are erased in a transaction. */
  readonly rowsAtOnce: number
}

const rowsAtOnce = 1_000

// The file of an import that was not read, and a row of a file without a key, may hold any row.
const importsWithRow = `table_name = $1 and (plan_id is null or exists (select from table_control.import_cells cell
  where cell.import_id = imports.id and (cell.row_key = $2 or cell.row_key is null)))`

// A file of an export may hold any row. Versions before the column did not write the table.
const filesOfTable = '(table_name = $1 or table_name is null)'

export const countUnfinishedJobs = `select count(*)::int as count from table_control.jobs
  where table_name = $1 and state in ('queued', 'running')`

/**
 * The rows that name files in their `object_key`: the erasure leaves no file without a row that names it. Of a function
 * that was killed between a file and its link, the bucket's lifecycle removes the file.
 */
export const filePlaces: readonly Place[] = [
  {
    name: 'links to files (downloads)',
    from: 'downloads',
    takes: 'table',
    rowsAtOnce: 200,
    where: filesOfTable,
  },
  {
    // Each removes up to 50,000 cells.
    name: 'imports, with their cells (imports, import_cells)',
    from: 'imports',
    takes: 'row',
    rowsAtOnce: 20,
    where: importsWithRow,
  },
]

const ended = "table_name = $1 and state not in ('queued', 'running')"

const endedJobs = `select id from table_control.jobs where ${ended}`

const emptiedFailure = `case when failure is not null then jsonb_strip_nulls(jsonb_build_object('code', failure -> 'code',
  'counts', failure -> 'counts', 'en', 'The reason was erased', 'ar', 'مُحي السبب')) end`

// A repeated request must not run again, so what it is answered stays, without rows and texts. The text is parsed once.
const emptiedResponse = `(select json_strip_nulls(json_build_object('success', true, 'onSuccess', 'reload', 'code', code,
    'counts', counts, 'job', job, 'items', case when items is not null then json_build_array() end,
    'results', case when results is not null then json_build_array() end))::text
  from json_to_record(response::json) as kept (code json, counts json, job json, items json, results json))`

const emptiedText = `'{"en": "The text was erased", "ar": "مُحي النص"}'`

/** Adds the command to the audit. `$2` is a hash of the id, as requests for the row have it. */
export const auditErasure = `insert into table_control.audit (subject, table_name, action, guard, kind, rows, filter_hash, outcome, request_id)
  values ('database role ' || session_user, $1, 'erase', '', 'erase', 1, $2, 'succeeded', gen_random_uuid()::text)`

const undosOfRow = 'table_name = $1 and rows ? $2'

const undosOfRowAlone = `${undosOfRow} and rows - $2::text = '{}' and not exists (select from table_control.cell_changes entry
  where entry.change = undos.id and (entry.table_name, entry.row_key) <> ($1, $2))`

// The id is read from the key, because no index finds the key of a job.
const jobOfKey = `job.id = case when dedupe_key ~ '^job:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then substr(dedupe_key, 5)::uuid end`

const notificationsOfJobs = `exists (select from table_control.jobs job where ${jobOfKey} and ${ended})`

export const places: readonly Place[] = [
  {
    name: 'changes of cells (cell_changes)',
    from: 'cell_changes',
    takes: 'row',
    rowsAtOnce,
    where: 'table_name = $1 and row_key = $2',
  },
  {
    name: 'undos of this row alone (undos)',
    from: 'undos',
    takes: 'row',
    rowsAtOnce,
    where: undosOfRowAlone,
  },
  {
    name: 'the row in other undos (undos)',
    from: 'undos',
    takes: 'row',
    rowsAtOnce,
    where: `${undosOfRow} and not (${undosOfRowAlone})`,
    set: 'rows = rows - $2::text',
  },
  {
    name: 'plans (plans)',
    from: 'plans',
    takes: 'row',
    rowsAtOnce,
    // The rows of a large plan are chunks of the job with its id, which are erased below.
    where: `table_name = $1 and (rows::jsonb -> 'keys' ? $2
      or exists (select from table_control.jobs job where job.id = plans.id and ${ended}))`,
  },
  {
    name: 'pages that sockets watch (subscriptions)',
    from: 'subscriptions',
    takes: 'row',
    rowsAtOnce,
    // The next message tells the client to ask again. The query is sealed, and ends with the socket.
    where: 'table_name = $1 and exists (select from json_array_elements(shown) one where one ->> 0 = $2)',
    set: 'shown = null',
  },
  {
    name: 'events of jobs (job_events)',
    from: 'job_events',
    takes: 'table',
    rowsAtOnce,
    where: `job_id in (${endedJobs})`,
  },
  {
    name: 'rows of jobs (job_chunks)',
    from: 'job_chunks',
    takes: 'table',
    rowsAtOnce,
    where: `job_id in (${endedJobs})`,
  },
  {
    name: 'notifications of jobs (notifications)',
    from: 'notifications',
    takes: 'table',
    rowsAtOnce,
    where: notificationsOfJobs,
  },
  {
    name: 'texts and data of other notifications (notifications)',
    from: 'notifications',
    takes: 'table',
    rowsAtOnce,
    // Emptied and not removed: their author must not notify twice. `notify` and versions before the column did not
    // write the table.
    where: `(table_name = $1 or table_name is null
        and not exists (select from table_control.jobs job where ${jobOfKey}))
      and not ${notificationsOfJobs}
      and (title <> ${emptiedText} or body <> ${emptiedText} or data <> '{}')`,
    set: `title = ${emptiedText}, body = ${emptiedText}, data = '{}'`,
  },
  {
    name: 'requests, results and failures of jobs (jobs)',
    from: 'jobs',
    takes: 'table',
    rowsAtOnce,
    where: `${ended} and (request <> '{}' or result is not null or failure is distinct from ${emptiedFailure})`,
    set: `request = '{}', result = null, failure = ${emptiedFailure}`,
  },
  {
    name: 'responses to repeated requests of any table (idempotency_keys)',
    from: 'idempotency_keys',
    takes: 'nothing',
    rowsAtOnce,
    where: `response like '{%' and response <> ${emptiedResponse}`,
    set: `response = ${emptiedResponse}`,
  },
]
