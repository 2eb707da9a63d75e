import type { Column } from '../service/wire.ts'
import { drawCell } from '../table/cell.tsx'
import { useWords } from '../texts/language.tsx'
import { Modal } from '../ui/modal.tsx'

export interface Details {
  readonly title: string
  readonly data: Readonly<Record<string, Detail>>
}

interface Detail {
  readonly label: string
  readonly value: unknown
  readonly type?: Column['type']
  readonly value_type?: Column['value_type']
}

interface DetailsDialogProps {
  readonly details: Details | undefined
  /** A field that is a column of the table is drawn as it is there. */
  readonly columns: readonly Column[]
  readonly close: () => void
}

/** The column of the table, unless the service sent the field as text that the column would draw as something else. */
function detailColumn(name: string, detail: Detail, columns: readonly Column[]): Column {
  const { label, type = 'text', value_type = 'text' } = detail
  const own = columns.find(({ data_src }) => data_src === name)
  const fits = detail.value_type === undefined || (type === own?.type && value_type === own.value_type)
  if (own !== undefined && fits) return own
  return { type, value_type, label, name, data_src: name, sortable: false, showable: true, minWidth: '' }
}

/** Shows the fields that an action returned for a row, each in full. */
export const DetailsDialog = ({ details, columns, close }: DetailsDialogProps) => {
  const words = useWords()
  return (
    <Modal title={details?.title ?? ''} open={details !== undefined} onClose={close}>
      <dl className="details" tabIndex={0}>
        {Object.entries(details?.data ?? {}).map(([name, detail]) => (
          <div key={name}>
            <dt>{detail.label}</dt>
            <dd>{drawCell(detailColumn(name, detail, columns), detail.value, words, { isWhole: true })}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
