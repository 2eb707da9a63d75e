import type { ReactNode } from 'react'
import { type Asking, parts } from '../parts.ts'
import { usePart } from '../state/part.ts'
import { Popup } from '../ui/popup.tsx'
import { Named, type NamedProps } from './column-picker.tsx'

interface AskingPickerProps extends NamedProps {
  /** Draws what unfolds, by the part that asks more of a table. */
  readonly children: (asking: Asking) => ReactNode
}

/** A button of the toolbar whose content belongs to the part `asking`. */
export const AskingPicker = ({ children, ...named }: AskingPickerProps) => (
  <Popup title={named.name} hint={named.name} align="end" trigger={<Named {...named} />}>
    {() => <Content>{children}</Content>}
  </Popup>
)

const Content = ({ children }: Pick<AskingPickerProps, 'children'>) => {
  const asking = usePart(parts.asking, true)
  return asking ? children(asking) : null
}
