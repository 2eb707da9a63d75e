import { useWords } from '../texts/language.tsx'
import { type FilterField, operatorText } from './filter-field.ts'

interface OperatorSelectProps {
  readonly field: FilterField
  readonly operators: readonly string[]
  readonly value: string
  readonly onChange: (operator: string) => void
}

/** How to compare; nothing where there is only one way. */
export const OperatorSelect = ({ field, operators, value, onChange }: OperatorSelectProps) => {
  const words = useWords()
  if (operators.length < 2) return null
  return (
    <select
      className="field wide"
      aria-label={words.t.operator}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {operators.map((operator) => (
        <option key={operator} value={operator}>
          {operatorText(field, operator, words)}
        </option>
      ))}
    </select>
  )
}
