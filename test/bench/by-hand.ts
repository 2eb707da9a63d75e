const columns = `f.id, to_char(f.date, 'YYYY-MM-DD HH24:MI'), f.origin, o.city, o.state, f.destination, d.city, d.state,
  f.delay, f.distance`

/** The two joins that show the places of a flight. */
export const placesSql = 'left join airports o on o.iata = f.origin left join airports d on d.iata = f.destination'

/** The first 20 of what a FROM clause calls `f`, the latest first; behind the ten columns, the place for the cursor. */
export const selectFirstPage = (
  flights: string,
  where = 'true',
): string => `select ${columns}, f.date::text from ${flights} ${placesSql}
  where ${where} order by f.date desc, f.id desc limit 20`

/** The first 20 flights of a condition, the latest first. */
export const firstPageSql = (where: string): string => selectFirstPage('flights f', where)

/** How many flights a condition holds for. */
export const countSql = (where: string): string => `select count(*) from flights f where ${where}`
