import { clientIn } from '../service/client.ts'
import type { Column } from '../service/wire.ts'
import { nameRows, queryRows } from '../state/asked-rows.ts'
import { session } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import { useLoaded } from '../state/use-loaded.ts'
import type { View } from '../state/view.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { totalName } from './total-functions.ts'
import { totalTexts } from './total-texts.ts'

interface TotalsRowProps {
  readonly view: View
  /** The columns on the screen. */
  readonly columns: readonly Column[]
  /** Grows when an action has changed rows. */
  readonly round: number
}

/**
 * The totals below their columns, of all rows that match. They are asked for apart from the page, which does not wait
 * for them.
 */
export const TotalsRow = ({ view, columns, round }: TotalsRowProps) => {
  const { t, language } = useWords()
  const texts = totalTexts[language]
  const { response, failure, isLoading } = useTotals({ view, columns, round })
  const isSlow = response?.partial?.includes('aggregates') === true
  const fault = failure ? failureText(failure, t) : isSlow ? texts.slow : undefined
  return (
    <tfoot aria-busy={isLoading} className={isLoading ? 'fading' : ''}>
      <tr>
        <th scope="row" className="tick">
          <span aria-hidden="true">Σ</span>
          <span className="unseen">{texts.row}</span>
        </th>
        {columns.map((column, at) => (
          <td key={column.data_src} className={`type-${column.type} value-${column.value_type}`}>
            {at === 0 && fault !== undefined && (
              <p className="fault" role="alert">
                {fault}
              </p>
            )}
            {chosenFor(view, column).map(({ fn }) => (
              <div key={fn} className="total">
                <small className="muted">{totalName(column, fn, language)}</small>
                <bdi>{(fault === undefined && readText(response, column, fn)) || '…'}</bdi>
              </div>
            ))}
          </td>
        ))}
        <td className="row-actions" />
      </tr>
    </tfoot>
  )
}

const chosenFor = ({ totals }: View, { data_src: name }: Column) => totals.filter(({ field }) => field === name)

function useTotals({ view, columns, round }: TotalsRowProps) {
  const { token } = useStore(session)
  const { table = '', language } = view
  const aggregates = columns.flatMap((column) => chosenFor(view, column))
  const body = { ...queryRows(view), aggregates, perPage: 1, count: 'none' }
  const key = JSON.stringify([token, language, nameRows(view), aggregates, round])
  return useLoaded(token && aggregates.length > 0 ? key : undefined, async (signal) => {
    const { aggregates: totals, partial } = await clientIn(language).queryTable(table, body as object, { signal })
    return { totals, partial }
  })
}

type TotalsResponse = ReturnType<typeof useTotals>['response']

/** A column without any value has no sum. */
function readText(response: TotalsResponse, { data_src: name }: Column, fn: string): string | undefined {
  const totals: Readonly<Record<string, { readonly text: string } | undefined>> = response?.totals?.[name] ?? {}
  const total = totals[fn]
  return total === undefined ? undefined : total.text || '–'
}
