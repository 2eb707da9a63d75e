import type { Column } from '../service/wire.ts'
import { drawCell } from '../table/cell.tsx'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { editingTexts } from './editing-texts.ts'
import type { Conflict, EditedCell, useCell } from './use-cell.ts'
import { useFirstFocus } from './use-first-focus.ts'

interface CellConflictProps
  extends Pick<ReturnType<typeof useCell>, 'save' | 'isRunning' | 'failure'>,
    Pick<EditedCell, 'close' | 'follow'> {
  readonly column: Column
  readonly conflict: Conflict
}

/** Shows what was to be written beside what the row has now, and lets the user decide. */
export const CellConflict = ({ column, conflict, failure, save, isRunning, close, follow }: CellConflictProps) => {
  const words = useWords()
  const texts = editingTexts[words.language]
  const { value, current, changed } = conflict
  const takeNow = () => {
    close()
    follow({ onSuccess: 'refetchRow', data: { row: current } }, { title: '', path: '', body: {} })
  }
  const frame = useFirstFocus<HTMLDivElement>()
  const others = changed.filter(({ field }) => field !== column.data_src)
  return (
    <div className="editor" role="alert" ref={frame}>
      <p>{texts.conflict}</p>
      <dl className="details">
        <div>
          <dt>{`${column.label} · ${texts.yours}`}</dt>
          <dd>{drawCell(column, value, words, { isWhole: true })}</dd>
        </div>
        <div>
          <dt>{`${column.label} · ${texts.now}`}</dt>
          <dd>{drawCell(column, current[column.data_src], words, { isWhole: true })}</dd>
        </div>
        {others.map(({ field, label, now }) => (
          <div key={field}>
            <dt>{`${label} · ${texts.now}`}</dt>
            <dd>
              <bdi>{String(now ?? '–')}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {failure && (
        <p className="fault">{failure.fields[`cells.${column.data_src}`]?.[0] ?? failureText(failure, words.t)}</p>
      )}
      <div className="buttons">
        <button type="button" className="button safe" onClick={takeNow}>
          {texts.takeNow}
        </button>
        <button
          type="button"
          className="button primary"
          aria-disabled={isRunning}
          onClick={() => !isRunning && save(value, current)}
        >
          {texts.keepYours}
        </button>
      </div>
    </div>
  )
}
