import type { ReactNode } from 'react'
import type { Bar } from './bar.ts'

export interface BarsProps {
  readonly bars: readonly Bar[]
  /** Says what the list of bars is. */
  readonly label: string
  /** Shows the text of a bar that has the pointer or the focus. */
  readonly note: (text: string) => void
}

interface BarButtonProps extends Pick<BarsProps, 'note'> {
  readonly bar: Bar
  readonly children: ReactNode
}

/** A bar that says its name and its number, and opens its rows. */
export const BarButton = ({ bar: { key, name, text, open }, note, children }: BarButtonProps) => {
  const whole = `${name}: ${text}`
  return (
    <button
      type="button"
      className="bar"
      aria-label={whole}
      title={whole}
      data-group={key}
      aria-disabled={open === undefined}
      onClick={open}
      onFocus={() => note(whole)}
      onPointerEnter={() => note(whole)}
    >
      {children}
    </button>
  )
}
