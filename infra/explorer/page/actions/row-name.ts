import type { Item, Structure } from '../service/wire.ts'
import type { Details } from './details-dialog.tsx'
import type { Plan } from './plan.ts'

/** Returns a name for a row: its id and the first of its texts that is not the id. */
export function rowName({ columns }: Structure, item: Item): string {
  const id = String(item.id)
  const text = columns
    .filter(({ value_type: type, showable }) => type === 'text' && showable)
    .map(({ data_src: name }) => item[name])
    .find((value) => typeof value === 'string' && value !== '' && value !== id)
  return text === undefined ? id : `${id} · ${text}`
}

/** Every value of a row by its column, for the dialog that shows it in full. */
export const allValues = ({ columns }: Structure, item: Item): Details['data'] =>
  Object.fromEntries(
    columns
      .filter(({ type }) => type !== 'actions')
      .map(({ data_src: name, label }) => [name, { label, value: item[name] }]),
  )

/** Names a change in messages, with its row if it is of one row. */
export const nameChange = ({ title, rowName }: Pick<Plan, 'title' | 'rowName'>): string =>
  rowName === undefined ? title : `${title} · ${rowName}`
