import { createScale, roundNumbers } from './bar.ts'
import { BarButton, type BarsProps } from './bar-button.tsx'

/** Bars that lie one below the other, each beside its name: any number of names fits a phone. */
export const Lines = ({ bars, label, note }: BarsProps) => {
  const rounds = roundNumbers(bars)
  const x = createScale(rounds[0] ?? 0, rounds.at(-1) ?? 1)
  return (
    <ul className="lines" aria-label={label}>
      {bars.map((bar) => {
        const { key, name, value = 0, text } = bar
        return (
          <li key={key}>
            <BarButton bar={bar} note={note}>
              <bdi className="bar-name">{name}</bdi>
              <span className="track">
                <span
                  className="bar-length"
                  style={{ insetInlineStart: `${x(Math.min(0, value))}%`, inlineSize: `${Math.abs(x(value) - x(0))}%` }}
                />
                <span className="axis" style={{ insetInlineStart: `${x(0)}%` }} />
              </span>
              <bdi>{text}</bdi>
            </BarButton>
          </li>
        )
      })}
    </ul>
  )
}
