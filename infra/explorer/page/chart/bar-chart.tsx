import { useLayoutEffect, useRef, useState } from 'react'
import type { Bar } from './bar.ts'
import { Columns, fitsAxis } from './columns.tsx'
import { Lines } from './lines.tsx'

interface BarChartProps {
  readonly bars: readonly Bar[]
  /** Says what the picture shows. */
  readonly label: string
  readonly isRightToLeft: boolean
  /** Runs when a bar is clicked. */
  readonly open: (key: string) => void
}

/**
 * Bars as wide as there is room: columns over time or numbers, else lines. For screen readers it is one picture with a
 * label.
 */
export const BarChart = ({ label, ...props }: BarChartProps) => {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const own = frame.current
    if (own === null) return
    const measure = () => setWidth(own.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(own)
    return () => observer.disconnect()
  }, [])
  const Bars = fitsAxis(props.bars) ? Columns : Lines
  return (
    <div ref={frame} className="chart-frame" role="img" aria-label={label}>
      {width > 0 && <Bars {...props} width={width} />}
    </div>
  )
}
