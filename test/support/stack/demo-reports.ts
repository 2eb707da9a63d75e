import { streamXlsxRows } from 'hucre'
import type { Email } from 'postal-mime'
import type { Sql } from 'postgres'

/** The columns of bird_strikes that a report shows, with their labels. */
export const strikeLabels = {
  en: [
    ...['ID', 'Flight date', 'Airport', 'State', 'Operator', 'Aircraft', 'Species', 'Size', 'Phase of flight'],
    ...['Time of day', 'Speed (knots)', 'Damage', 'Cost (USD)', 'Status', 'Flagged', 'Risk', 'Assignee', 'Note'],
    'Reviewed at',
  ],
  ar: [
    ...['المعرف', 'تاريخ الرحلة', 'المطار', 'الولاية', 'المشغّل', 'الطائرة', 'النوع', 'الحجم', 'مرحلة الطيران'],
    ...[
      'الفترة من اليوم',
      'السرعة (عقدة)',
      'الضرر',
      'التكلفة (دولار)',
      'الحالة',
      'مميَّز بعلامة',
      'الخطورة',
      'المكلَّف',
      'ملاحظة',
    ],
    'وقت المراجعة',
  ],
} as const

const arabic = {
  None: 'لا يوجد',
  Minor: 'طفيف',
  Substantial: 'جسيم',
  C: 'تدمير كامل',
  open: 'مفتوح',
  reviewed: 'تمت مراجعته',
  Small: 'صغير',
  Medium: 'متوسط',
  Large: 'كبير',
  Dawn: 'الفجر',
  Day: 'النهار',
  Dusk: 'الغسق',
  Night: 'الليل',
  Parked: 'التوقف',
  Taxi: 'السير على الأرض',
  'Take-off run': 'الجري للإقلاع',
  Climb: 'الصعود',
  Descent: 'النزول',
  Approach: 'الاقتراب',
  'Landing Roll': 'الجري بعد الهبوط',
}

/** The words of a report for values that have labels. */
const shown = {
  en: { C: 'Destroyed', 'Landing Roll': 'Landing roll', open: 'Open', reviewed: 'Reviewed' },
  ar: arabic,
} as const

/**
 * Reports of these states as a spreadsheet must show them, asked of Postgres alone; dates and moments as ISO texts in
 * UTC.
 */
export async function strikeRows(
  sql: Sql,
  language: 'en' | 'ar',
  states: readonly string[],
): Promise<readonly (readonly unknown[])[]> {
  const label = (column: string) => {
    const words = sql.json(shown[language])
    return sql`coalesce(${words}::jsonb ->> ${sql(column)}, ${sql(column)})`
  }
  const [yes, no] = { en: ['Yes', 'No'], ar: ['نعم', 'لا'] }[language] as [string, string]
  return sql`select id, to_char(flight_date, 'YYYY-MM-DD"T00:00:00"'), airport_name, origin_state, operator,
      aircraft_model, species, ${label('wildlife_size')}, ${label('phase')}, ${label('time_of_day')}, speed_knots,
      ${label('damage')}, cost_total,
      ${label('status')}, case when flagged then ${yes} else ${no} end, risk, assignee, note,
      to_char(reviewed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
    from bird_strikes where origin_state in ${sql(states)} and not archived
    order by flight_date desc, id desc`.values()
}

/** Writes what is hard to show into the first rows of a state. */
export async function plantCells(sql: Sql, state: string): Promise<void> {
  const notes = ['=1+1', '+97150', '@cmd', '  in spaces  ', 'a\nb', 'a "b", c', '<b>&amp;', '_x0041_', 'ملاحظة: ٥٠٪']
  const ids = await sql`select id from bird_strikes where origin_state = ${state} order by id limit ${notes.length}`
  for (const [index, { id }] of ids.entries()) {
    await sql`update bird_strikes set note = ${notes[index] ?? ''}, assignee = '00000000000123456789', risk = ${index},
      flagged = true, status = 'reviewed', reviewed_at = '2001-02-03T04:05:06.789Z' where id = ${id}`
  }
}

/** Opens a link as a browser does: without a token, following redirects. */
export async function openLink(url: string) {
  const response = await fetch(url)
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** The path of a download behind the guard's. */
export const readPath = (url: string): string => url.slice(url.indexOf('/downloads/') + 1)

/** The only file of a mail. */
export function attachedTo({ attachments: [file, ...more] }: Email) {
  if (file === undefined || more.length > 0 || typeof file.content === 'string') throw new Error('not one file')
  return { filename: file.filename, mimeType: file.mimeType, bytes: Buffer.from(new Uint8Array(file.content)) }
}

/** The places of delay and distance among the columns of flights. */
const delay = 7
const distance = 8

/** How many flights a workbook holds, and the sums of two of their columns. */
export async function flightSums(bytes: Buffer) {
  const found = { rows: -1, delay: 0, distance: 0 }
  for await (const { values } of streamXlsxRows(bytes)) {
    found.rows += 1
    if (found.rows === 0) continue
    found.delay += Number(values[delay])
    found.distance += Number(values[distance])
  }
  return found
}

/** The same of the table. */
export async function flightSumsOfSql(sql: Sql) {
  const [row] = await sql`select count(*)::int as rows, sum(delay)::int as delay, sum(distance)::int as distance
    from flights`
  return row && { ...row }
}
