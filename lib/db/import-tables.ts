import { sql } from 'drizzle-orm'
import { index, integer, json, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, moment, service } from './service-schema.ts'

/** Files that callers send back, and what they would change. */
export const imports = service.table(
  'imports',
  {
    id: uuid().primaryKey().defaultRandom(),
    subject: text().notNull(),
    guard: text().notNull(),
    table_name: text().notNull(),
    /** The `params` of the request, as JSON text to be compared. */
    params: text().notNull(),
    /** The uploaded file in the bucket, until it has been read. */
    object_key: text().notNull(),
    bytes: integer().notNull(),
    /** The job that reads the file. */
    job_id: uuid(),
    /** Present once the file has been read. */
    plan_id: uuid(),
    summary: json().$type<Readonly<Record<string, unknown>>>(),
    created_at: createdAt(),
    expires_at: moment().notNull(),
    applied_at: moment(),
    /** The claims of the caller who applied it: `response` is shown to callers with the same claims only. */
    rights: text(),
    response: text(),
  },
  (one) => [
    index('imports_by_subject').on(one.subject, one.expires_at),
    index('imports_by_expiry').on(one.expires_at),
    index('imports_by_job').on(one.job_id).where(sql`job_id is not null`),
  ],
)

/** The cells in which a file that was sent back differs, in the order of the file. */
export const importCells = service.table(
  'import_cells',
  {
    import_id: uuid()
      .notNull()
      .references(() => imports.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    row_key: text(),
    field: text(),
    kind: text({ enum: ['change', 'conflict', 'refused'] }).notNull(),
    place: text().notNull(),
    /** Base, file and now as JSON; sealed if the column is sensitive. */
    cell_values: text().notNull(),
    code: text(),
    en: text(),
    ar: text(),
  },
  (cell) => [primaryKey({ columns: [cell.import_id, cell.position] }), index('import_cells_by_row').on(cell.row_key)],
)
