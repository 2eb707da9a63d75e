import type { Column } from '../service/wire.ts'
import { Cell } from '../table/cell.tsx'
import { useWords } from '../texts/language.tsx'
import { Modal } from '../ui/modal.tsx'

export interface Details {
  readonly title: string
  readonly data: Readonly<Record<string, { readonly label: string; readonly value: unknown; readonly type?: string }>>
}

interface DetailsDialogProps {
  readonly details: Details | undefined
  /** A field that is a column of the table is drawn as it is there. */
  readonly columns: readonly Column[]
  readonly close: () => void
}

/** What an action shows of a row, field by field and in full. */
export const DetailsDialog = ({ details, columns, close }: DetailsDialogProps) => {
  const { t } = useWords()
  return (
    <Modal title={details?.title ?? t.details} open={details !== undefined} onClose={close}>
      <dl className="details" tabIndex={0}>
        {Object.entries(details?.data ?? {}).map(([name, { label, value, type }]) => (
          <div key={name}>
            <dt>{label}</dt>
            <dd>
              <Cell
                column={
                  columns.find((column) => column.data_src === name) ?? {
                    ...{
                      type: type ?? 'text',
                      value_type: 'text',
                      label,
                      data_src: name,
                      sortable: false,
                      showable: true,
                    },
                  }
                }
                value={value}
              />
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
