import { scaleBand, scaleLinear } from 'd3-scale'
import { type BarsProps, barDomain } from './bar.ts'

const lineHeight = 30
const maxNameWidth = 260
/** The room of a number behind its bar. */
const maxTextWidth = 110
const letterWidth = 7

/** Bars that lie one below the other, each beside its name: any number of names fits a phone. */
export const Lines = ({ bars, width, isRightToLeft, open }: BarsProps) => {
  const nameWidth = Math.min(maxNameWidth, width * 0.4)
  const height = bars.length * lineHeight
  const y = scaleBand()
    .domain(bars.map(({ key }) => key))
    .range([0, height])
    .paddingInner(0.25)
  const left = nameWidth
  const right = width - Math.min(maxTextWidth, width * 0.22)
  const x = scaleLinear()
    .domain(barDomain(bars))
    .nice()
    .range(isRightToLeft ? [width - left, width - right] : [left, right])
  const away = isRightToLeft ? -8 : 8
  const maxLetters = Math.floor(nameWidth / letterWidth) - 2
  return (
    <svg className="chart" width={width} height={height} aria-hidden="true">
      {bars.map(({ key, name, value = 0, text }) => {
        const top = y(key) ?? 0
        const middle = top + y.bandwidth() / 2
        const start = Math.min(x(0), x(value))
        const end = isRightToLeft ? start : Math.max(x(0), x(value))
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the table of groups opens them by keyboard
          <g key={key} className="bar" onClick={() => open(key)}>
            <title>{`${name}: ${text}`}</title>
            <rect className="reach" x={0} y={top} width={width} height={y.bandwidth()} />
            <text x={(isRightToLeft ? width - nameWidth : nameWidth) - away} y={middle} dy="0.32em" textAnchor="end">
              {name.length > maxLetters ? `${name.slice(0, maxLetters)}…` : name}
            </text>
            <rect x={start} y={top} width={Math.abs(x(value) - x(0))} height={y.bandwidth()} />
            <text className="value" x={end + away} y={middle} dy="0.32em" textAnchor="start">
              {text}
            </text>
          </g>
        )
      })}
      <line className="axis" x1={x(0)} x2={x(0)} y1={0} y2={height} />
    </svg>
  )
}
