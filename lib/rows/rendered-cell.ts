import type { ColumnType } from '../table/column-definition.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'

/** Writes one cell from its text. */
type Renderer = (text: string) => Promise<string>

const renderers: Readonly<Partial<Record<ColumnType, Renderer>>> = {
  // Loaded only for tables that show such a column: no other request pays for the libraries.
  html: async (text) => (await import('./sanitised-html.ts')).sanitisedHtml(text),
  barcode: async (text) => (await import('./barcode.ts')).barcodePng(text),
}

/** What writes the cells of a type of column, for the types that a library writes. */
export const rendererOf = (type: ColumnType): Renderer | undefined => renderers[type]

/** Replaces the texts of these columns by what clients show: sanitised HTML, or a barcode's picture as base64. */
export async function renderCells(
  columns: readonly CompiledColumn[],
  items: readonly Record<string, unknown>[],
): Promise<void> {
  const cells = columns.flatMap(({ key, type }) => items.map((item) => ({ key, item, render: rendererOf(type) })))
  await Promise.all(
    cells.map(async ({ key, item, render }) => {
      const value = item[key]
      item[key] = render === undefined || value === null || value === undefined ? null : await render(String(value))
    }),
  )
}
