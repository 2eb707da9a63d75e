import type { TableView } from '../table/view.ts'

/** The most bytes of a file that can be imported. */
export const maxImportBytes = 20 * 1_024 * 1_024

/** The context in which the values of a sensitive cell are sealed: they open for this cell of this import only. */
export const importSeal = (importId: string, rowKey: string, field: string): string =>
  `cell of an import\n${JSON.stringify([importId, rowKey, field])}`

/** Lists the column whose values name the rows of a CSV file; none where the caller does not have it. */
export const listNamingColumns = ({ columns, table }: TableView) =>
  columns.flatMap(({ key, source }) =>
    key === table.definition.matchImportsBy && source !== undefined ? [{ key, source }] : [],
  )
