import { sql } from 'drizzle-orm'
import { isRefusal } from '../db/change-error.ts'
import { isServerError, type ServerError } from '../db/database-error.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError } from '../errors/request-error.ts'
import { type Bilingual, translate } from '../i18n/language.ts'
import type { EditableColumn } from '../table/editable-columns.ts'
import { tableText } from '../table/source.ts'
import type { TableView } from '../table/view.ts'
import type { Session } from './run-row-action.ts'

const related: Bilingual = {
  en: 'must agree with the rows that refer to it or that it refers to',
  ar: 'يجب أن يتوافق مع الصفوف المرتبطة به',
}

const ruled: Bilingual = {
  en: 'is not allowed by a rule of the database; use another value',
  ar: 'يخالف قيدًا في قاعدة البيانات؛ استخدم قيمة أخرى',
}

/** The refusal of a row that a trigger has kept as it was without an error. */
const kept: ServerError = { code: 'kept', severity: 'ERROR', message: 'a trigger has kept a row as it was' }

const texts: Readonly<Record<string, Bilingual>> = {
  '23001': related,
  '23502': { en: 'is required; give a value', ar: 'مطلوب؛ أدخل قيمة' },
  '23503': related,
  '23505': { en: 'is already used by another row; use another value', ar: 'مستخدم في صف آخر؛ استخدم قيمة أخرى' },
  '23P01': { en: 'overlaps with another row; use another value', ar: 'يتداخل مع صف آخر؛ استخدم قيمة أخرى' },
  kept: {
    en: 'is kept as it is by a rule of the database; use another value',
    ar: 'يُبقيه قيد في قاعدة البيانات كما هو؛ استخدم قيمة أخرى',
  },
}

/** The text for a value that another row keeps only because its own change was refused, as in a swap. */
export const stillUsed: Bilingual = {
  en: 'is the value of another row that was to change too and could not; to swap values, first give one of the rows a value that no row has',
  ar: 'قيمة صف آخر كان سيتغيّر أيضًا وتعذّر تغييره؛ لتبديل القيم أعطِ أحد الصفوف أولًا قيمة لا يستخدمها أي صف',
}

/** Whether an edit was refused because another row has its value, which that row may give up. */
export const isTaken = (error: unknown): boolean => ['23505', '23P01'].includes(findValueRefusal(error)?.code ?? '')

/** Creates the error of a row that a trigger has kept as it was. */
export const keptRow = (): RequestError => new RequestError('conflicting_data', {}, { cause: kept })

/** The codes of errors that stand for a refusal. A trigger may raise others, such as that a statement took too long. */
const refusing: ReadonlySet<string> = new Set(['conflicting_data', 'validation_failed'])

/** Returns the refusal of a value: one that its column cannot hold, or that a constraint or a trigger forbids. */
export function findValueRefusal(error: unknown): ServerError | undefined {
  if (error instanceof RequestError && !refusing.has(error.code)) return undefined
  const cause = error instanceof RequestError ? error.cause : error
  if (cause === kept) return kept
  return isServerError(cause) && (cause.code.startsWith('22') || isRefusal(cause)) ? cause : undefined
}

/**
 * Creates the error of an edit that Postgres refused. It names those of the written columns that the violated
 * constraint is about. Where Postgres does not tell, it names those that may hold the value, or all of them.
 */
export async function createValueError(
  db: Session,
  { table }: TableView,
  refusal: ServerError,
  written: readonly EditableColumn[],
  text: Bilingual = texts[refusal.code] ?? (refusal.code.startsWith('22') ? fieldFault('not_valid') : ruled),
): Promise<RequestError> {
  const { constraint_name: constraint, column_name: column } = refusal as ServerError &
    Readonly<Record<string, unknown>>
  const names =
    typeof column === 'string' ? [column] : await readColumns(db, tableText(table.definition.from), constraint)
  const isValue = refusal.code.startsWith('22')
  const named = written.filter(({ attribute, isExact }) =>
    names.length === 0 ? isValue && !isExact : names.includes(attribute.name),
  )
  const columns = written.length === 1 || named.length === 0 ? written : named
  const label = (language: keyof Bilingual) =>
    columns.map((one) => translate(one.label, language)).join(language === 'ar' ? '، ' : ', ')
  return new RequestError(
    isValue ? 'validation_failed' : 'conflicting_data',
    {},
    {
      text: { en: `${label('en')}: ${text.en}`, ar: `${label('ar')}: ${text.ar}` },
      fields: Object.fromEntries(columns.map(({ key }) => [`cells.${key}`, [text]])),
      cause: refusal,
    },
  )
}

/** Reads the columns of a table that one of its constraints or unique indexes depends on, or one of its partitions. */
async function readColumns(db: Session, table: string, constraint: unknown): Promise<readonly unknown[]> {
  if (typeof constraint !== 'string') return []
  const rows = await db.execute(sql`
    select attname as name from pg_catalog.pg_depend join pg_catalog.pg_attribute
      on attrelid = refobjid and attnum = refobjsubid
    where refclassid = 'pg_class'::regclass
      and refobjid in (select to_regclass(${table}::text) union select relid from pg_partition_tree(to_regclass(${table}::text)))
      and ((classid = 'pg_constraint'::regclass and objid in (select oid from pg_catalog.pg_constraint where conname = ${constraint}::text))
        or (classid = 'pg_class'::regclass and objid in (select oid from pg_catalog.pg_class
          where relname = ${constraint}::text and relkind in ('i', 'I'))))`)
  return [...rows].map((row) => row['name'])
}
