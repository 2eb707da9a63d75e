import { useWords } from '../texts/language.tsx'

interface OperatorSelectProps {
  readonly operators: readonly string[]
  readonly value: string
  readonly onChange: (operator: string) => void
}

/** How to compare; nothing where there is only one way. */
export const OperatorSelect = ({ operators, value, onChange }: OperatorSelectProps) => {
  const { t } = useWords()
  if (operators.length < 2) return null
  return (
    <select
      className="field wide"
      aria-label={t.operator}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {operators.map((operator) => (
        <option key={operator} value={operator}>
          {t.operators[operator] ?? operator}
        </option>
      ))}
    </select>
  )
}
