import type { ReactNode } from 'react'

interface NothingProps {
  readonly title: string
  readonly help: string
  readonly children?: ReactNode
}

/** Says that there is nothing to see, and what to do about it. */
export const Nothing = ({ title, help, children }: NothingProps) => (
  <div className="nothing">
    <h2>{title}</h2>
    <p>{help}</p>
    {children}
  </div>
)
