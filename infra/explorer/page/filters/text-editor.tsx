import { useState } from 'react'
import { takesList, takesNothing, takesRange } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { useFault } from '../ui/use-fault.tsx'
import type { EditorProps } from './editor-props.ts'
import { editorTexts } from './editor-texts.ts'
import type { EntryFault } from './entry-fault.ts'
import { FacetRanges } from './facet-ranges.tsx'
import { shownEntry } from './filter-entry.ts'
import { OperatorSelect } from './operator-select.tsx'
import { readEntries, shownOperators } from './read-entries.ts'

const foldTexts = {
  en: 'Upper and lower case, accents and vowel marks make no difference.',
  ar: 'لا فرق بين الحروف الكبيرة والصغيرة، ولا أثر للتشكيل وصور الهمزة.',
}

/** Edits a text or a number, or a range of two, and the operator of the comparison. */
export const TextEditor = ({ field, view, applied, apply, close }: EditorProps) => {
  const words = useWords()
  const { t, language } = words
  const texts = editorTexts[language]
  const { filter, label } = field
  const now = shownEntry(applied)
  const operators = shownOperators(filter)
  const [fault, setFault] = useState<EntryFault>()
  const { state, note } = useFault(fault?.text)
  const preferred = operators.includes('like') ? 'like' : (operators[0] ?? '=')
  const [operator, setOperator] = useState(now?.operator ?? preferred)
  const [lower = '', upper = ''] = typeof now?.value === 'string' ? [now.value] : (now?.value ?? [])
  const isBetween = takesRange(operator)
  const isNumber = filter.type === 'number'
  const first = takesList(operator) && !isBetween && typeof now?.value !== 'string' ? now?.value.join(t.comma) : lower
  const common = {
    className: 'field wide',
    inputMode: isNumber ? 'decimal' : 'text',
    autoComplete: 'off',
    dir: 'auto',
  } as const
  const enter = (form: FormData) => {
    const text = { value: String(form.get('value') ?? ''), upper: String(form.get('upper') ?? '') }
    const read = readEntries(filter, operator, text, words)
    if ('text' in read) return setFault(read)
    apply(read)
    close()
  }
  return (
    <form
      className="editor"
      onSubmit={(event) => {
        event.preventDefault()
        enter(new FormData(event.currentTarget))
      }}
    >
      <OperatorSelect
        field={field}
        operators={operators}
        value={operator}
        onChange={(next) => {
          setOperator(next)
          setFault(undefined)
        }}
      />
      {!takesNothing(operator) && (
        <div className="labelled">
          {isBetween && <span aria-hidden="true">{texts.least}</span>}
          <input
            {...common}
            {...(fault?.end !== 1 && state)}
            name="value"
            aria-label={isBetween ? `${label}: ${texts.least}` : takesList(operator) ? t.values : label}
            defaultValue={first}
          />
        </div>
      )}
      {isBetween && (
        <div className="labelled">
          <span aria-hidden="true">{texts.most}</span>
          <input
            {...common}
            {...(fault?.end !== 0 && state)}
            name="upper"
            aria-label={`${label}: ${texts.most}`}
            defaultValue={upper}
          />
        </div>
      )}
      {filter.props.fold && !takesNothing(operator) && <p className="help">{foldTexts[language]}</p>}
      {takesList(operator) && !isBetween && <p className="help">{t.values}</p>}
      {note}
      <EditorButtons isOn={now !== undefined} clear={() => apply([])} close={close} />
      {isNumber && (
        <FacetRanges
          view={view}
          field={field}
          choose={(filters) => {
            apply(filters)
            close()
          }}
        />
      )}
    </form>
  )
}

interface EditorButtonsProps {
  readonly isOn: boolean
  readonly clear: () => void
  readonly close: () => void
}

/** The buttons that apply or cancel a filter. */
export const EditorButtons = ({ isOn, clear, close }: EditorButtonsProps) => {
  const { t } = useWords()
  return (
    <div className="buttons">
      {isOn && (
        <button
          type="button"
          className="button"
          onClick={() => {
            clear()
            close()
          }}
        >
          {t.clear}
        </button>
      )}
      <button type="submit" className="button primary">
        {t.apply}
      </button>
    </div>
  )
}
