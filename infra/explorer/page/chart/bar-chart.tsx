import { useState } from 'react'
import type { BarsProps } from './bar-button.tsx'
import { Columns, fitsAxis } from './columns.tsx'
import { Lines } from './lines.tsx'

/** Bars as wide as there is room: columns over time or numbers, else lines. Narrow ones are named above them. */
export const BarChart = (props: Omit<BarsProps, 'note'>) => {
  const [text, setText] = useState('')
  const Bars = fitsAxis(props.bars) ? Columns : Lines
  return (
    <>
      <p className="bar-note" aria-hidden="true">
        <bdi>{text}</bdi>
      </p>
      <Bars {...props} note={setText} />
    </>
  )
}
