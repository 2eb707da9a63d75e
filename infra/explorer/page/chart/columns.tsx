import { scaleLinear } from 'd3-scale'
import { useWords } from '../texts/language.tsx'
import { formatNumber } from '../texts/number-format.ts'
import { type Bar, type BarsProps, barDomain } from './bar.ts'

const height = 320
const foot = 28
const head = 12
/** The room of the numbers beside the axis. */
const side = 72
const minLabelGap = 84
const minBarWidth = 4

/** A wider chart would be mostly gaps, and browsers cannot draw one of millions of pixels. */
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
  return { starts, step, first, end, minWidth: side + 12 + ((end - first) / step) * minBarWidth }
}

/** Bars that stand on an axis of time or numbers, where what is missing leaves a gap. */
export const Columns = ({ bars, width, isRightToLeft, open }: BarsProps) => {
  const words = useWords()
  const { starts, step, first, end, minWidth } = layAxis(bars)
  const whole = Math.max(width, minWidth)
  const [left, right] = isRightToLeft ? [whole - side, 12] : [side, whole - 12]
  const x = scaleLinear().domain([first, end]).range([left, right])
  const y = scaleLinear()
    .domain(barDomain(bars))
    .nice(5)
    .range([height - foot, head])
  const labelled = chooseLabels(starts.map((start) => x(start + step / 2)))
  return (
    <svg className="chart" width={whole} height={height} aria-hidden="true">
      {y.ticks(5).map((tick) => (
        <g key={tick}>
          <line className="grid" x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={isRightToLeft ? left + 8 : left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
            {formatNumber(words, tick)}
          </text>
        </g>
      ))}
      {bars.map(({ key, name, value = 0, text, at = 0 }, place) => {
        const edges = [x(at), x(at + step)] as const
        const barWidth = Math.abs(edges[1] - edges[0])
        const gap = Math.min(4, barWidth / 5)
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the table of groups opens them by keyboard
          <g key={key} className="bar" onClick={() => open(key)}>
            <title>{`${name}: ${text}`}</title>
            <rect className="reach" x={Math.min(...edges)} y={head} width={barWidth} height={height - head - foot} />
            <rect
              x={Math.min(...edges) + gap / 2}
              y={Math.min(y(0), y(value))}
              width={barWidth - gap}
              height={Math.abs(y(0) - y(value))}
            />
            {labelled.has(place) && (
              <text x={(edges[0] + edges[1]) / 2} y={height - 8} textAnchor="middle">
                {name}
              </text>
            )}
          </g>
        )
      })}
      <line className="axis" x1={left} x2={right} y1={y(0)} y2={y(0)} />
    </svg>
  )
}

/** The bars whose names have room below them. */
function chooseLabels(centers: readonly number[]): ReadonlySet<number> {
  const chosen = new Set<number>()
  let last = Number.NEGATIVE_INFINITY
  for (const [place, center] of centers.entries()) {
    if (Math.abs(center - last) < minLabelGap) continue
    chosen.add(place)
    last = center
  }
  return chosen
}
