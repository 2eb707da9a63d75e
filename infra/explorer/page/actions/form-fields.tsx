import { useId } from 'react'
import type { Column, JsonSchema } from '../service/wire.ts'
import { useWords } from '../texts/language.tsx'
import { DayField } from '../ui/day-field.tsx'
import type { FieldState } from '../ui/use-fault.tsx'
import { fieldKind, plainSchema } from './form-values.ts'

interface FormFieldsProps {
  readonly schema: JsonSchema
  readonly columns: readonly Column[]
  readonly values: Readonly<Record<string, unknown>>
  readonly faults: Readonly<Record<string, readonly string[]>>
}

/** The fields of a JSON Schema, with what the service had against each. */
export const FormFields = ({ schema, columns, values, faults }: FormFieldsProps) => (
  <>
    {Object.entries(schema.properties ?? {}).map(([name, field]) => {
      const column = columns.find((one) => one.data_src === name)
      return (
        <FormField
          key={name}
          name={name}
          field={field}
          column={column}
          label={field.title ?? column?.label ?? nameInWords(name)}
          value={values[name] ?? field.default}
          isRequired={schema.required?.includes(name) === true}
          fault={faults[name]?.[0]}
        />
      )
    })}
  </>
)

interface FormFieldProps {
  readonly name: string
  readonly label: string
  readonly field: JsonSchema
  /** The column of the same name, which says how its values are shown. */
  readonly column: Column | undefined
  readonly value: unknown
  readonly isRequired: boolean
  readonly fault: string | undefined
}

/** Authors name fields for programs: `due_date` reads as "Due date". */
const nameInWords = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

const FormField = ({ isRequired, fault, ...control }: FormFieldProps) => {
  const { label, field } = control
  const { t } = useWords()
  const id = useId()
  const kind = fieldKind(field)
  const state = {
    'aria-invalid': fault !== undefined,
    ...(isRequired && kind !== 'boolean' && { 'aria-required': true }),
    // Its name is that of its day alone, without what else stands in the label.
    ...(kind === 'date' && { 'aria-describedby': id }),
  }
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: Control is one
    <label className={fault === undefined ? 'labelled' : 'labelled faulty'}>
      <span>
        {label} {!isRequired && <small className="muted">{t.optional}</small>}
      </span>
      <Control {...control} state={state} />
      <span id={id} className="labelled">
        {field.description !== undefined && <small className="muted">{field.description}</small>}
        {fault !== undefined && <small className="fault">{fault}</small>}
      </span>
    </label>
  )
}

type ControlProps = Omit<FormFieldProps, 'isRequired' | 'fault'> & { readonly state: FieldState }

/** The control of one field. */
export const Control = ({ name, label, field, column, value, state }: ControlProps) => {
  const { t, language } = useWords()
  const kind = fieldKind(field)
  const { enum: choices = [], maxLength } = plainSchema(field)
  const common = { name: `field ${name}`, className: 'field wide', dir: 'auto', ...state } as const
  const text = value == null ? '' : typeof value === 'object' && kind === 'json' ? JSON.stringify(value) : String(value)
  if (kind === 'boolean') return <input {...common} className="" type="checkbox" defaultChecked={value === true} />
  if (kind === 'long' || kind === 'json')
    return <textarea {...common} rows={5} maxLength={maxLength} defaultValue={text} />
  if (kind === 'choice') {
    return (
      <select {...common} defaultValue={text}>
        <option value="">{t.nothing}</option>
        {choices
          .filter((choice) => choice !== null)
          .map((choice) => (
            <option key={String(choice)} value={String(choice)}>
              {choiceLabel(choice, column, language)}
            </option>
          ))}
      </select>
    )
  }
  if (kind === 'date')
    return <DayField name={`field ${name}`} label={label} defaultValue={text.slice(0, 10)} state={state} />
  const type = kind === 'number' ? { inputMode: 'decimal' as const } : {}
  return <input {...common} {...type} maxLength={maxLength} autoComplete="off" defaultValue={text} />
}

const booleanLabels = { en: { true: 'Yes', false: 'No' }, ar: { true: 'نعم', false: 'لا' } } as const

/** Returns the text by which the cells of the column show a choice. */
function choiceLabel(choice: unknown, column: Column | undefined, language: 'en' | 'ar'): string {
  const labels = column?.values_formating ?? {}
  if (typeof choice === 'boolean') return String(labels[`${choice}Label`] ?? booleanLabels[language][`${choice}`])
  const shown = labels[String(choice)]
  return typeof shown === 'object' ? shown.showValue : String(choice)
}
