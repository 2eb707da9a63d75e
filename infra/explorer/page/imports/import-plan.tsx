import type { ReactNode } from 'react'
import type { ImportCell, ImportPlan } from '../../../../lib/client/imports.ts'
import { CellTable } from '../actions/cell-table.tsx'
import { useFirstFocus } from '../editing/use-first-focus.ts'
import type { Column } from '../service/wire.ts'
import { drawCell } from '../table/cell.tsx'
import { useWords } from '../texts/language.tsx'
import { importTexts } from './import-texts.ts'

interface ImportPlanViewProps {
  readonly plan: ImportPlan
  readonly columns: readonly Column[]
  readonly failure: string | undefined
  readonly isRunning: boolean
  readonly apply: () => void
  readonly showMore: () => void
  readonly sendAgain: () => void
  readonly close: () => void
}

/** Shows the changes of a file, those that are refused, and what other users have changed since. The user decides. */
export const ImportPlanView = (props: ImportPlanViewProps) => {
  const { plan, failure, isRunning, apply, showMore, sendAgain, close } = props
  const { t, language } = useWords()
  const texts = importTexts[language]
  const { change, conflict, refused } = plan.counts
  const frame = useFirstFocus<HTMLDivElement>()
  return (
    <div className="editor" ref={frame}>
      <p role="status">
        {texts.read(plan.rows)}{' '}
        <strong>
          {change === 0 ? change + conflict + refused === 0 && texts.nothing : `${texts.changes(change)}.`}
        </strong>
      </p>
      {plan.ignored_columns && <p className="help">{texts.ignored(plan.ignored_columns.join(t.comma))}</p>}
      <PlannedCells {...props} />
      {plan.next_page !== undefined && (
        <button type="button" className="button" aria-disabled={isRunning} onClick={showMore}>
          {texts.more}
        </button>
      )}
      {failure !== undefined && (
        <p className="fault" role="alert">
          {failure}
        </p>
      )}
      <div className="buttons">
        {failure !== undefined && (
          <button type="button" className="button" onClick={sendAgain}>
            {texts.again}
          </button>
        )}
        <button type="button" className="button safe" onClick={close}>
          {change === 0 ? t.close : texts.cancel}
        </button>
        {change > 0 && (
          <button type="button" className="button primary" aria-disabled={isRunning} onClick={apply}>
            {texts.apply(change)}
          </button>
        )}
      </div>
    </div>
  )
}

/** The cells of a plan, those of one kind below each other. */
const PlannedCells = ({ plan, columns }: Pick<ImportPlanViewProps, 'plan' | 'columns'>) => {
  const words = useWords()
  const texts = importTexts[words.language]
  const draw = ({ field, sensitive }: ImportCell, value: unknown): ReactNode => {
    const column = columns.find(({ data_src: name }) => name === field)
    if (sensitive) return <span className="muted">{texts.hidden}</span>
    return column === undefined ? <bdi>{String(value ?? '–')}</bdi> : drawCell(column, value, words, { isWhole: true })
  }
  const kinds = {
    change: {
      title: texts.changes,
      heads: [texts.row, texts.column, texts.now, texts.file],
      cells: (cell: ImportCell) => [
        cell.label,
        <del key="now">{draw(cell, cell.now)}</del>,
        <ins key="file">{draw(cell, cell.file)}</ins>,
      ],
    },
    conflict: {
      title: texts.conflicts,
      heads: [texts.row, texts.column, texts.exported, texts.now, texts.file],
      cells: (cell: ImportCell) => [cell.label, draw(cell, cell.base), draw(cell, cell.now), draw(cell, cell.file)],
    },
    refused: {
      title: texts.refused,
      heads: [texts.place, texts.column, texts.reason],
      cells: ({ label = '–', errors = [] }: ImportCell) => [
        label,
        <div key="reason" className="sentence">
          {errors[words.language === 'ar' ? 1 : 0]}
        </div>,
      ],
    },
  }
  const shown = (['change', 'conflict', 'refused'] as const).filter((kind) => plan.counts[kind] > 0)
  return shown.map((kind) => {
    const { title, heads, cells } = kinds[kind]
    const own = plan.cells.filter((cell) => cell.kind === kind)
    const name = title(plan.counts[kind])
    return (
      <section key={kind}>
        {kind !== 'change' && <h3 className="kind">{name}</h3>}
        {own.length > 0 && (
          <CellTable
            name={name}
            heads={heads}
            rows={own.map((cell) => ({
              key: `${cell.place} ${cell.field ?? ''}`,
              head: kind === 'refused' ? cell.place : String(cell.id ?? cell.place),
              cells: cells(cell),
            }))}
          />
        )}
      </section>
    )
  })
}
