import type { TableError } from '../../../../lib/client/index.ts'
import { useFirstFocus } from '../editing/use-first-focus.ts'
import type { Column, ForeseenChange } from '../service/wire.ts'
import { drawCell } from '../table/cell.tsx'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { CellTable } from './cell-table.tsx'
import { foreseenTexts } from './foreseen-texts.ts'
import type { Plan } from './plan.ts'
import type { Actions } from './use-actions.ts'

interface ForeseenRowsProps extends Pick<Actions, 'isRunning' | 'run'> {
  readonly plan: Plan
  readonly columns: readonly Column[]
  readonly change: ForeseenChange
  readonly goBack: () => void
  readonly failure: TableError | undefined
}

/** Shows what an action would do, and applies exactly that. */
export const ForeseenRows = ({ plan, columns, change, goBack, failure, isRunning, run }: ForeseenRowsProps) => {
  const { t, language, number } = useWords()
  const texts = foreseenTexts[language]
  return (
    <div className="editor" ref={useFirstFocus<HTMLDivElement>()}>
      <p role="status">
        <strong>{texts.applicable(number(change.applicable), number(change.rows))}</strong>
      </p>
      {change.refused.length > 0 && (
        <ul>
          {change.refused.map(({ code, count, text }) => (
            <li key={`${code} ${text}`}>{texts.refused(count, text)}</li>
          ))}
        </ul>
      )}
      {change.sample.length > 0 && <Sample columns={columns} sample={change.sample} />}
      {failure && (
        <p className="fault" role="alert">
          {failureText(failure, t)}
        </p>
      )}
      <div className="buttons">
        <button type="button" className="button safe" onClick={goBack}>
          {texts.back}
        </button>
        <button
          type="button"
          className={plan.isRemoval === true ? 'button danger' : 'button primary'}
          aria-disabled={isRunning || change.applicable === 0}
          onClick={() =>
            !isRunning && change.applicable > 0 && run({ plan_id: change.id, ...shapeEffects(plan.page) }, {})
          }
        >
          {isRunning ? t.working(plan.title) : texts.apply}
        </button>
      </div>
    </div>
  )
}

/** Returns the keys that ask for the effects of an applied plan, whose page can be one of all rows only. */
function shapeEffects({ include, columns, row_actions, filters, ...restricting }: NonNullable<Plan['page']> = {}) {
  const isWhole = Array.isArray(filters) && filters.length === 0 && Object.keys(restricting).length === 0
  return isWhole ? { include, row_actions, ...(columns !== undefined && { columns }) } : {}
}

interface SampleProps {
  readonly columns: readonly Column[]
  readonly sample: ForeseenChange['sample']
}

/** The cells of some rows that would differ, one line each. */
const Sample = ({ columns, sample }: SampleProps) => {
  const words = useWords()
  const texts = foreseenTexts[words.language]
  const cells = sample.flatMap(({ id, before, after }) =>
    columns
      .filter(({ type, data_src: name }) => type !== 'actions' && !isSame(before[name], after[name]))
      .map((column) => ({ id, column, before: before[column.data_src], after: after[column.data_src] })),
  )
  if (cells.length === 0) return null
  return (
    <CellTable
      name={texts.some}
      heads={[texts.row, texts.column, texts.before, texts.after]}
      rows={cells.map(({ id, column, before, after }) => ({
        key: `${id} ${column.data_src}`,
        head: String(id),
        cells: [
          column.label,
          <del key="before">{drawCell(column, before, words, { isWhole: true })}</del>,
          <ins key="after">{drawCell(column, after, words, { isWhole: true })}</ins>,
        ],
      }))}
    />
  )
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
