import { useEffect, useRef, useState } from 'react'
import type { Option } from '../service/wire.ts'
import { type Applied, takesList, takesNothing } from '../state/view.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import type { EditorProps } from './editor-props.ts'
import { editorTexts } from './editor-texts.ts'
import { OperatorSelect } from './operator-select.tsx'
import { useChoices } from './use-choices.ts'

const texts = {
  en: {
    found: (count: number, first: string) => `Found: ${count}. Enter chooses “${first}”.`,
    chosen: (label: string) => `Chosen: ${label}`,
    left: (label: string) => `No longer chosen: ${label}`,
  },
  ar: {
    found: (count: number, first: string) => `النتائج: ${count}. زر الإدخال يختار «${first}».`,
    chosen: (label: string) => `تم اختيار: ${label}`,
    left: (label: string) => `أُلغي اختيار: ${label}`,
  },
}

/**
 * One or several of what the filter offers; each click counts at once, and Enter takes the first that was found by
 * typing.
 */
export const ChoiceEditor = ({ field, view, applied, bindings, apply, close }: EditorProps) => {
  const { t, language } = useWords()
  const { filter, name, label } = field
  const [now] = applied
  const [operator, setOperator] = useState(now?.operator ?? filter.props.operators[0] ?? '=')
  const [searchText, setSearchText] = useState('')
  const [note, setNote] = useState('')
  const isValueless = takesNothing(operator)
  const isMany = takesList(operator)
  const chosen = listChosen(now)
  const choices = useChoices(view, field, bindings, chosen, searchText)
  const found = isValueless ? [] : choices.found
  const isSearched = searchText.trim() !== ''
  const first = isSearched && !isValueless ? choices.first : undefined
  const { form, isHeld } = useLateEnter(isSearched && choices.isLate, searchText)
  const missing = !isValueless && choices.missing && editorTexts[language][choices.missing]
  const applyAll = (values: readonly string[], by = operator) => {
    if (takesNothing(by)) return apply([{ field: filter.filter_name, operator: by, value: '' }])
    const value = takesList(by) ? values : values[0]
    apply(value === undefined || value.length === 0 ? [] : [{ field: filter.filter_name, operator: by, value }])
  }
  const choose = (value: string, isOn: boolean) => {
    if (!isMany) applyAll([value])
    else applyAll(isOn ? [...chosen, value] : chosen.filter((one) => one !== value))
  }
  const changeOperator = (next: string) => {
    setOperator(next)
    if (chosen.length > 0 || takesNothing(next)) applyAll(chosen, next)
    else if (isValueless) apply([])
  }
  return (
    <form
      className="editor"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        if (isHeld()) return
        if (first !== undefined) {
          const isOn = !chosen.includes(String(first.value))
          choose(String(first.value), isOn)
          setNote(texts[language][isOn ? 'chosen' : 'left'](first.label))
        }
        setSearchText('')
        if (!isMany || !isSearched) close()
      }}
    >
      {choices.canSearch && !isValueless && (
        <input
          className="field wide"
          type="search"
          placeholder={t.find}
          aria-label={`${t.find}: ${label}`}
          value={searchText}
          autoComplete="off"
          onChange={({ target }) => setSearchText(target.value)}
        />
      )}
      <OperatorSelect field={field} operators={filter.props.operators} value={operator} onChange={changeOperator} />
      {choices.failure && <Fault text={failureText(choices.failure, t)} />}
      <p className={missing ? 'help' : 'unseen'} role="status">
        {missing || (first ? texts[language].found(found.length, first.label) : note)}
      </p>
      <Choices
        options={found}
        countRows={choices.countRows}
        chosen={chosen}
        choose={choose}
        label={label}
        marked={first}
        group={name}
        type={isMany ? 'checkbox' : 'radio'}
      />
    </form>
  )
}

function listChosen(now: Applied | undefined): readonly string[] {
  if (now === undefined || takesNothing(now.operator)) return []
  return typeof now.value === 'string' ? [now.value] : now.value
}

/** Holds an Enter that comes before the choices for the typed text, and submits the form once they are there. */
function useLateEnter(isLate: boolean, searchText: string) {
  const form = useRef<HTMLFormElement>(null)
  const entered = useRef<string>(undefined)
  useEffect(() => {
    if (isLate) return
    if (entered.current === searchText) form.current?.requestSubmit()
    entered.current = undefined
  }, [isLate, searchText])
  const isHeld = () => {
    if (isLate) entered.current = searchText
    return isLate
  }
  return { form, isHeld }
}

interface ChoicesProps {
  readonly options: readonly Option[]
  readonly countRows: ReturnType<typeof useChoices>['countRows']
  readonly chosen: readonly string[]
  /** The choice that Enter selects. */
  readonly marked: Option | undefined
  readonly choose: (value: string, isOn: boolean) => void
  readonly label: string
  readonly group: string
  readonly type: 'checkbox' | 'radio'
}

const Choices = ({ options, countRows, chosen, marked, choose, label, group, type }: ChoicesProps) => (
  <fieldset className="options">
    <legend className="unseen">{label}</legend>
    {options.map((option) => {
      const value = String(option.value)
      return (
        <label key={value} className={option === marked ? 'option marked' : 'option'}>
          <input
            name={`choice ${group}`}
            type={type}
            checked={chosen.includes(value)}
            onChange={({ target }) => choose(value, target.checked)}
          />
          <bdi className="grow">{option.label}</bdi> <RowCount count={countRows(value)} />
        </label>
      )
    })}
  </fieldset>
)

const Fault = ({ text }: { readonly text: string }) => (
  <p className="fault" role="alert">
    {text}
  </p>
)

const RowCount = ({ count }: { readonly count: number | undefined }) => {
  const { number } = useWords()
  return count === undefined ? null : <bdi className="muted facet-count">{number(count)}</bdi>
}
