import type { Column } from '../service/wire.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { totalFunctions, totalName } from './total-functions.ts'
import { totalTexts } from './total-texts.ts'

interface TotalsListProps {
  /** The columns on the screen. */
  readonly columns: readonly Column[]
  readonly totals: View['totals']
  readonly change: Change
}

const maxTotals = 20

/** The totals below the columns, and a list to add one from. */
export const TotalsList = ({ columns, totals, change }: TotalsListProps) => {
  const { t, language } = useWords()
  const texts = totalTexts[language]
  const isChosen = (field: string, fn: string) => totals.some((one) => one.field === field && one.fn === fn)
  return (
    <>
      <p className="help">{texts.help}</p>
      <ul className="sorts">
        {totals.map((total) => {
          const column = columns.find(({ data_src: name }) => name === total.field)
          const name = column ? `${column.label}: ${totalName(column, total.fn, language)}` : total.field
          return (
            <li key={`${total.fn} ${total.field}`} className="sort-line">
              <span className="grow">{name}</span>
              <button
                type="button"
                className="button quiet square"
                aria-label={t.remove(name)}
                onClick={() => change({ totals: totals.filter((one) => one !== total) }, 'replace')}
              >
                <Icon name="close" />
              </button>
            </li>
          )
        })}
      </ul>
      {totals.length < maxTotals && (
        <select
          className="field wide"
          aria-label={texts.add}
          value=""
          onChange={({ target }) => {
            const [fn = '', field = ''] = target.value.split(/:(.*)/s)
            change({ totals: [...totals, { field, fn }] }, 'replace')
          }}
        >
          <option value="">{texts.add}</option>
          {columns.map((column) => (
            <optgroup key={column.data_src} label={column.label}>
              {totalFunctions(column)
                .filter((fn) => !isChosen(column.data_src, fn))
                .map((fn) => (
                  <option key={fn} value={`${fn}:${column.data_src}`}>
                    {column.label}: {totalName(column, fn, language)}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      )}
    </>
  )
}
