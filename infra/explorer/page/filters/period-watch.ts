import { useEffect, useRef } from 'react'
import { clientIn } from '../service/client.ts'
import type { Rows } from '../service/wire.ts'
import { queryRows } from '../state/asked-rows.ts'
import type { View } from '../state/view.ts'

interface PeriodWatchProps {
  readonly view: View
  readonly rows: { readonly response: Rows | undefined; readonly reload: () => void }
}

/** The page does not know the time zone of the table, but days end at a quarter of an hour everywhere. */
const quarterMs = 900_000
const checkMs = 20_000

const readQuarter = (): number => Math.floor(Date.now() / quarterMs)

/** Names the days of the periods, such as today: a new day gives them another name. */
const nameDays = ({ resolved = [] }: Rows): string =>
  resolved.map(({ from, to }) => `${from.slice(0, 10)} ${to.slice(0, 10)}`).join()

/** Loads the rows again when a day has ended and a period decides which they are, also after a night asleep. */
export function PeriodWatch({ view, rows }: PeriodWatchProps): null {
  const latest = useRef({ view, rows })
  latest.current = { view, rows }
  const hasPeriod = rows.response !== undefined && nameDays(rows.response) !== ''
  useEffect(() => {
    if (!hasPeriod) return
    let quarter = readQuarter()
    const check = async () => {
      const { view, rows } = latest.current
      const { table = '', language } = view
      if (document.hidden || readQuarter() === quarter) return
      quarter = readQuarter()
      const body: object = { ...queryRows(view), perPage: 1, count: 'none' }
      const now = await clientIn(language)
        .queryTable(table, body)
        .catch(() => undefined)
      const shown = latest.current.rows
      // The user has opened another page meanwhile.
      if (now === undefined || rows.response === undefined || shown.response !== rows.response) return
      if (nameDays(now) !== nameDays(rows.response)) shown.reload()
    }
    const timer = setInterval(() => void check(), checkMs)
    return () => clearInterval(timer)
  }, [hasPeriod])
  return null
}
