import { useId, useState } from 'react'
import { addChosen, type FilterField, fieldOptions, operatorText } from '../filters/filter-field.ts'
import type { Bindings } from '../service/wire.ts'
import { takesList, takesNothing, takesRange } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Condition } from './group.ts'
import { groupTexts } from './group-texts.ts'
import {
  beginCondition,
  chooseEntry,
  conditionOperators,
  entryName,
  type Faults,
  type FieldMenus,
  findField,
} from './read-condition.ts'

interface ConditionLineProps {
  readonly condition: Condition
  readonly fields: readonly FilterField[]
  readonly bindings: Bindings | undefined
  readonly menus: FieldMenus
  readonly faults: Faults
  readonly put: (condition: Condition) => void
  readonly remove: () => void
}

/** A condition: what to compare, how, and with what. */
export const ConditionLine = ({ condition, fields, bindings, menus, faults, put, remove }: ConditionLineProps) => {
  const words = useWords()
  const texts = groupTexts[words.language]
  const field = findField(fields, condition.field)
  const fault = faults.get(condition.key)
  const id = useId()
  const state = { 'aria-invalid': fault !== undefined, ...(fault !== undefined && { 'aria-describedby': id }) }
  return (
    <div className={fault === undefined ? 'condition' : 'condition faulty'}>
      <select
        className="field"
        aria-label={texts.field}
        value={field?.name ?? ''}
        onChange={({ target }) => {
          const next = fields.find(({ name }) => name === target.value)
          if (next !== undefined) put({ ...beginCondition(next), key: condition.key })
        }}
      >
        {field === undefined && <option value="">{condition.field}</option>}
        {fields.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      {field && (
        <>
          <select
            className="field"
            aria-label={`${field.label}: ${words.t.operator}`}
            value={condition.operator}
            onChange={({ target }) => put(changeOperator(condition, target.value, target.form))}
          >
            {conditionOperators(field).map((operator) => (
              <option key={operator} value={operator}>
                {operatorText(field, operator, words)}
              </option>
            ))}
          </select>
          <div className="condition-value">
            <ValueEntry
              key={`${field.name} ${condition.operator}`}
              condition={condition}
              field={field}
              bindings={bindings}
              menus={menus}
              state={state}
              wrongEnd={fault?.end}
            />
          </div>
        </>
      )}
      <button
        type="button"
        className="button quiet square"
        aria-label={words.t.remove(field?.label ?? condition.field)}
        onClick={remove}
      >
        <Icon name="close" />
      </button>
      {fault !== undefined && (
        <p className="fault" role="alert" id={id}>
          {fault.text}
        </p>
      )}
    </div>
  )
}

/**
 * Returns the condition with another operator and with what has been entered. A period is no value for other operators.
 */
function changeOperator(condition: Condition, operator: string, form: HTMLFormElement | null): Condition {
  if ((operator === 'within') !== (condition.operator === 'within')) return { ...condition, operator, value: '' }
  const entered = new FormData(form ?? undefined)
  const texts = ([0, 1] as const).flatMap((end) => entered.getAll(entryName(condition, end)).map(String))
  return { ...condition, operator, value: takesNothing(condition.operator) ? condition.value : texts }
}

interface ValueEntryProps {
  readonly condition: Condition
  readonly field: FilterField
  readonly bindings: Bindings | undefined
  readonly menus: FieldMenus
  readonly wrongEnd: number | undefined
  readonly state: { readonly 'aria-invalid': boolean; readonly 'aria-describedby'?: string }
}

const ValueEntry = ({ condition, field, bindings, menus, state, wrongEnd }: ValueEntryProps) => {
  const { t, language } = useWords()
  const { operator, value } = condition
  const values = typeof value === 'string' ? [value] : value
  const label = `${field.label}: ${groupTexts[language].value}`
  const ends = takesRange(operator)
    ? ([
        [0, `${label}${t.comma}${t.from}`, t.from],
        [1, `${label}${t.comma}${t.to}`, t.to],
      ] as const)
    : ([[0, label, '']] as const)
  switch (chooseEntry(field, operator, bindings)) {
    case 'nothing':
      return null
    case 'period':
      return <PeriodEntry menus={menus} label={label} name={entryName(condition)} begin={String(value)} />
    case 'choice':
      return <ChoiceEntry condition={condition} field={field} bindings={bindings} label={label} state={state} />
    case 'days':
      return ends.map(([end, name, shown]) => (
        <div key={end} className="labelled">
          {shown && <span aria-hidden="true">{shown}</span>}
          <menus.DayField
            {...((wrongEnd ?? end) === end && { state })}
            name={entryName(condition, end)}
            label={name}
            defaultValue={(values[end] ?? '').slice(0, 10)}
          />
        </div>
      ))
    case 'text':
      return ends.map(([end, name, shown]) => (
        <div key={end} className="labelled">
          {shown && <span aria-hidden="true">{shown}</span>}
          <input
            className="field wide"
            name={entryName(condition, end)}
            aria-label={takesList(operator) && !takesRange(operator) ? `${label} (${t.values})` : name}
            {...((wrongEnd ?? end) === end && state)}
            inputMode={field.filter.type === 'number' ? 'decimal' : 'text'}
            autoComplete="off"
            dir="auto"
            defaultValue={takesList(operator) && !takesRange(operator) ? values.join(t.comma) : values[end]}
          />
        </div>
      ))
  }
}

interface PeriodEntryProps {
  readonly menus: FieldMenus
  readonly label: string
  readonly name: string
  readonly begin: string
}

const PeriodEntry = ({ menus, label, name, begin }: PeriodEntryProps) => {
  const [period, setPeriod] = useState(begin === '' ? 'last_7_days' : begin)
  return (
    <>
      <input type="hidden" name={name} value={period} />
      <menus.PeriodField label={label} value={period} onChange={setPeriod} />
    </>
  )
}

interface ChoiceEntryProps extends Omit<ValueEntryProps, 'menus' | 'wrongEnd'> {
  readonly label: string
}

const ChoiceEntry = ({ condition, field, bindings, label, state }: ChoiceEntryProps) => {
  const chosen = [condition.value].flat().filter((one) => one !== '')
  const options = addChosen(fieldOptions(field.filter, bindings), chosen)
  const name = entryName(condition)
  if (!takesList(condition.operator)) {
    return (
      <select className="field wide" aria-label={label} {...state} name={name} defaultValue={chosen[0]}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )
  }
  return (
    <fieldset className="options few">
      <legend className="unseen">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="option">
          <input
            type="checkbox"
            name={name}
            {...state}
            value={option.value}
            defaultChecked={chosen.includes(String(option.value))}
          />
          <bdi>{option.label}</bdi>
        </label>
      ))}
    </fieldset>
  )
}
