import { useState } from 'react'
import type { Option } from '../service/wire.ts'
import { takesList, takesNothing } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import type { EditorProps } from './editor-props.ts'
import { fieldOptions } from './filter-field.ts'
import { OperatorSelect } from './operator-select.tsx'
import { useFacet } from './use-facet.ts'

/** One or several of what the filter offers; each click counts at once, and Enter takes the first that was found by typing. */
export const ChoiceEditor = ({ field, view, applied, bindings, apply, close }: EditorProps) => {
  const { t } = useWords()
  const { filter, name, label } = field
  const [now] = applied
  const [operator, setOperator] = useState(now?.operator ?? filter.props.operators[0] ?? '=')
  const [sought, setSought] = useState('')
  const isValueless = takesNothing(operator)
  const options = isValueless ? [] : fieldOptions(filter, bindings)
  const facet = useFacet(view, field, true)
  const isMany = takesList(operator)
  const chosen =
    now === undefined || takesNothing(now.operator) ? [] : typeof now.value === 'string' ? [now.value] : now.value
  const found = options.filter((option) => option.label.toLowerCase().includes(sought.trim().toLowerCase()))
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
        const [first] = sought.trim() === '' ? [] : found
        if (first !== undefined) choose(String(first.value), !chosen.includes(String(first.value)))
        setSought('')
        if (!isMany || sought.trim() === '') close()
      }}
    >
      {options.length > 0 && (
        <input
          className="field wide"
          type="search"
          placeholder={t.find}
          aria-label={`${t.find}: ${label}`}
          value={sought}
          autoComplete="off"
          onChange={({ target }) => setSought(target.value)}
        />
      )}
      <OperatorSelect field={field} operators={filter.props.operators} value={operator} onChange={changeOperator} />
      {options.length === 0 && !isValueless && <p className="help">{t.noOptions}</p>}
      {options.length > 0 && found.length === 0 && <p className="help">{t.notFound}</p>}
      <Choices
        {...{ options: found, facet, chosen, choose, label }}
        marked={sought.trim() === '' ? undefined : found[0]}
        group={name}
        type={isMany ? 'checkbox' : 'radio'}
      />
    </form>
  )
}

interface ChoicesProps {
  readonly options: readonly Option[]
  /** How many rows each choice has, as soon as that is known. */
  readonly facet: ReturnType<typeof useFacet>
  readonly chosen: readonly string[]
  /** The choice that Enter selects. */
  readonly marked: Option | undefined
  readonly choose: (value: string, isOn: boolean) => void
  readonly label: string
  readonly group: string
  readonly type: 'checkbox' | 'radio'
}

const Choices = ({ options, facet, chosen, marked, choose, label, group, type }: ChoicesProps) => (
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
          <bdi className="grow">{option.label}</bdi> <FacetCount facet={facet} value={value} />
        </label>
      )
    })}
  </fieldset>
)

interface FacetCountProps {
  readonly facet: ReturnType<typeof useFacet>
  readonly value: string
}

/** The rows of a choice. One that is not counted has none, unless only the most frequent ones are counted. */
const FacetCount = ({ facet, value }: FacetCountProps) => {
  const { number } = useWords()
  if (facet === undefined) return null
  const count = facet.options.find((option) => String(option.value) === value)?.count
  if (count === undefined && facet.more) return null
  return <bdi className="muted facet-count">{number(count ?? 0)}</bdi>
}
