import { useLayoutEffect, useRef, useState } from 'react'
import { useWords } from '../texts/language.tsx'
import { formatNumber } from '../texts/number-format.ts'
import { type Bar, createScale, roundNumbers } from './bar.ts'
import { BarButton, type BarsProps } from './bar-button.tsx'

const minLabelGap = 84

/** A finger needs more room than a pointer. */
const minBarWidth = () => (matchMedia('(max-width: 760px), (pointer: coarse)').matches ? 24 : 4)

/** A wider chart would be mostly gaps. */
const maxWidth = 10_000

/** Whether bars have places on one axis, and these are near enough to each other. */
export const fitsAxis = (bars: readonly Bar[]): boolean =>
  bars.every(({ at }) => at !== undefined) && layAxis(bars).minWidth <= maxWidth

/** Returns the axis of bars: the smallest distance of two is the width of each. */
function layAxis(bars: readonly Bar[]) {
  const starts = bars.map(({ at = 0 }) => at)
  const steps = starts.slice(1).map((start, before) => start - (starts[before] ?? 0))
  const step = steps.length > 0 ? Math.min(...steps) : 1
  const first = starts[0] ?? 0
  const end = (starts.at(-1) ?? 0) + step
  return { starts, x: createScale(first, end), step, minWidth: ((end - first) / step) * minBarWidth() }
}

/** Bars that stand on an axis of time or numbers, where what is missing leaves a gap. */
export const Columns = ({ bars, label, note }: BarsProps) => {
  const words = useWords()
  const [frame, width] = useWidth<HTMLUListElement>()
  const { starts, x, step, minWidth } = layAxis(bars)
  const rounds = roundNumbers(bars)
  const y = createScale(rounds[0] ?? 0, rounds.at(-1) ?? 1)
  const named = chooseNames(starts.map((start) => (x(start + step / 2) / 100) * width))
  return (
    <div className="chart-frame">
      <div className="columns" style={{ minInlineSize: `${minWidth}px` }}>
        {rounds.map((round) => (
          <span
            key={round}
            className={round === 0 ? 'axis' : ''}
            style={{ insetBlockEnd: `${y(round)}%` }}
            aria-hidden="true"
          >
            {formatNumber(words, round)}
          </span>
        ))}
        <ul aria-label={label} ref={frame}>
          {bars.map((bar, place) => {
            const { key, name, value = 0, at = 0 } = bar
            return (
              <li key={key} style={{ insetInlineStart: `${x(at)}%`, inlineSize: `${x(at + step) - x(at)}%` }}>
                <BarButton bar={bar} note={note}>
                  <span
                    className="bar-length"
                    style={{ insetBlockEnd: `${y(Math.min(0, value))}%`, blockSize: `${Math.abs(y(value) - y(0))}%` }}
                  />
                </BarButton>
                {named.has(place) && <bdi aria-hidden="true">{name}</bdi>}
              </li>
            )
          })}
        </ul>
      </div>
    </div>
  )
}

function useWidth<Element extends HTMLElement>() {
  const frame = useRef<Element>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (frame.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  return [frame, width] as const
}

/** The bars whose names have room below them. */
function chooseNames(centers: readonly number[]): ReadonlySet<number> {
  const chosen = new Set<number>()
  let last = Number.NEGATIVE_INFINITY
  for (const [place, center] of centers.entries()) {
    if (Math.abs(center - last) < minLabelGap) continue
    chosen.add(place)
    last = center
  }
  return chosen
}
