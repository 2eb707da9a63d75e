import { useState } from 'react'
import type { Option } from '../service/wire.ts'
import { takesList, takesNothing } from '../state/view.ts'
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
  const chosen =
    now === undefined || takesNothing(now.operator) ? [] : typeof now.value === 'string' ? [now.value] : now.value
  const choices = useChoices(view, field, bindings, chosen, searchText)
  const found = isValueless ? [] : choices.found
  const isSearched = searchText.trim() !== ''
  const [first] = isSearched ? found : []
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
      onSubmit={(event) => {
        event.preventDefault()
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
      {choices.failure && (
        <p className="fault" role="alert">
          {failureText(choices.failure, t)}
        </p>
      )}
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

const RowCount = ({ count }: { readonly count: number | undefined }) => {
  const { number } = useWords()
  return count === undefined ? null : <bdi className="muted facet-count">{number(count)}</bdi>
}
