/** A statement that erases one place, and the parameters that it takes: `$1` is the table, `$2` the key of the row. */
export interface Statement {
  readonly place: string
  readonly takes: 'row' | 'table' | 'nothing'
  readonly text: string
}

// The file of an import that was not read, and a row of a file without a key, may hold any row.
const importsWithRow = `table_name = $1 and (plan_id is null or exists (select from table_control.import_cells cell
  where cell.import_id = imports.id and (cell.row_key = $2 or cell.row_key is null)))`

// A file of an export may hold any row. Versions before the column did not write the table.
const filesOfTable = '(table_name = $1 or table_name is null)'

export const countUnfinishedJobs = `select count(*)::int as count from table_control.jobs
  where table_name = $1 and state in ('queued', 'running')`

/** The rows that name files. Their statements return each removed `object_key`: no file stays without a row that names it. */
export const fileStatements: readonly Statement[] = [
  {
    ...{ place: 'links to files (downloads)', takes: 'table' },
    text: `delete from table_control.downloads where ${filesOfTable} returning object_key`,
  },
  {
    ...{ place: 'imports, with their cells (imports, import_cells)', takes: 'row' },
    text: `delete from table_control.imports where ${importsWithRow} returning object_key`,
  },
]

const endedJobs = `select id from table_control.jobs where table_name = $1 and state not in ('queued', 'running')`

const emptiedFailure = `case when failure is not null then jsonb_strip_nulls(jsonb_build_object('code', failure -> 'code',
  'counts', failure -> 'counts', 'en', 'The reason was erased', 'ar', 'مُحي السبب')) end`

// A repeated request must not run again, so what it is answered stays, without rows and texts.
const emptiedResponse = `json_strip_nulls(json_build_object('success', true, 'onSuccess', 'reload',
  'code', response::json -> 'code', 'counts', response::json -> 'counts', 'job', response::json -> 'job',
  'items', case when response::json -> 'items' is not null then json_build_array() end,
  'results', case when response::json -> 'results' is not null then json_build_array() end))::text`

const emptiedText = `'{"en": "The text was erased", "ar": "مُحي النص"}'`

/** Adds the command to the audit. `$2` is a hash of the id, as requests for the row have it. */
export const auditErasure = `insert into table_control.audit (subject, table_name, action, guard, kind, rows, filter_hash, outcome, request_id)
  values ('database role ' || session_user, $1, 'erase', '', 'erase', 1, $2, 'succeeded', gen_random_uuid()::text)`

/** In this order: an undo of cells is empty once its changes are gone. */
export const statements: readonly Statement[] = [
  {
    ...{ place: 'changes of cells (cell_changes)', takes: 'row' },
    text: 'delete from table_control.cell_changes where table_name = $1 and row_key = $2',
  },
  {
    ...{ place: 'undos of this row alone (undos)', takes: 'row' },
    text: `delete from table_control.undos where table_name = $1 and rows ? $2 and rows - $2::text = '{}'
      and not exists (select from table_control.cell_changes entry where entry.change = undos.id)`,
  },
  {
    ...{ place: 'the row in other undos (undos)', takes: 'row' },
    text: 'update table_control.undos set rows = rows - $2::text where table_name = $1 and rows ? $2',
  },
  {
    ...{ place: 'plans (plans)', takes: 'row' },
    // The rows of a large plan are chunks of the job with its id, which are erased below.
    text: `delete from table_control.plans where table_name = $1 and (rows::jsonb -> 'keys' ? $2 or id in (${endedJobs}))`,
  },
  {
    ...{ place: 'pages that sockets watch (subscriptions)', takes: 'row' },
    // The next message tells the client to ask again. The query is sealed, and ends with the socket.
    text: `update table_control.subscriptions set shown = null where table_name = $1
      and exists (select from json_array_elements(shown) one where one ->> 0 = $2)`,
  },
  {
    ...{ place: 'events of jobs (job_events)', takes: 'table' },
    text: `delete from table_control.job_events where job_id in (${endedJobs})`,
  },
  {
    ...{ place: 'rows of jobs (job_chunks)', takes: 'table' },
    text: `delete from table_control.job_chunks where job_id in (${endedJobs})`,
  },
  {
    ...{ place: 'notifications of jobs (notifications)', takes: 'table' },
    text: `delete from table_control.notifications where dedupe_key in (select 'job:' || id from (${endedJobs}) ended)`,
  },
  {
    ...{ place: 'texts and data of other notifications (notifications)', takes: 'table' },
    // Emptied and not removed: their author must not notify twice. `notify` and versions before the column did not write the table.
    text: `update table_control.notifications set title = ${emptiedText}, body = ${emptiedText}, data = '{}'
      where (table_name = $1 or table_name is null
          and not exists (select from table_control.jobs job where notifications.dedupe_key = 'job:' || job.id))
        and (title <> ${emptiedText} or body <> ${emptiedText} or data <> '{}')`,
  },
  {
    ...{ place: 'requests, results and failures of jobs (jobs)', takes: 'table' },
    text: `update table_control.jobs set request = '{}', result = null, failure = ${emptiedFailure}
      where id in (${endedJobs}) and (request <> '{}' or result is not null or failure is distinct from ${emptiedFailure})`,
  },
  {
    ...{ place: 'responses to repeated requests of any table (idempotency_keys)', takes: 'nothing' },
    text: `update table_control.idempotency_keys set response = ${emptiedResponse}
      where response like '{%' and response <> ${emptiedResponse}`,
  },
]
