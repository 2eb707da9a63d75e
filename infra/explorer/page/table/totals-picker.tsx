import { parts } from '../parts.ts'
import type { Column } from '../service/wire.ts'
import { usePart } from '../state/part.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { Popup } from '../ui/popup.tsx'
import { Named } from './column-picker.tsx'

interface TotalsPickerProps {
  readonly columns: readonly Column[]
  readonly totals: View['totals']
  readonly change: Change
}

/** Which totals are below the columns. */
export const TotalsPicker = (props: TotalsPickerProps) => {
  const { t } = useWords()
  return (
    <Popup title={t.totals} align="end" trigger={<Named icon="sum" name={t.totals} count={props.totals.length} />}>
      {() => <Content {...props} />}
    </Popup>
  )
}

const Content = (props: TotalsPickerProps) => {
  const asking = usePart(parts.asking, true)
  return asking ? <asking.TotalsList {...props} /> : null
}
