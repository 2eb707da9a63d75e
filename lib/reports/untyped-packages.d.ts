/** The part of the package that is used here: version 10 brings no types. */
declare module 'html-to-text' {
  interface Selector {
    readonly selector: string
    readonly format?: string
    readonly options?: Readonly<Record<string, unknown>>
  }

  interface Node {
    readonly name?: string
    readonly children?: readonly Node[]
  }

  interface Builder {
    readonly openTable: () => void
    readonly openTableRow: () => void
    readonly openTableCell: () => void
    readonly closeTableCell: () => void
    readonly closeTableRow: () => void
    readonly closeTable: (options: {
      readonly tableToString: (rows: readonly (readonly { readonly text: string }[])[]) => string
      readonly leadingLineBreaks: number
      readonly trailingLineBreaks: number
    }) => void
  }

  type Walk = (nodes: readonly Node[] | undefined, builder: Builder) => void

  export type Formatter = (element: Node & { readonly children: readonly Node[] }, walk: Walk, builder: Builder) => void

  export function compile(options: {
    readonly wordwrap: false
    readonly limits?: { readonly maxDepth?: number }
    readonly formatters?: Readonly<Record<string, Formatter>>
    readonly selectors?: readonly Selector[]
  }): (html: string) => string
}

/** The streaming writer alone: the package's own entry loads three times as much code. */
declare module 'exceljs/lib/stream/xlsx/workbook-writer.js' {
  import { stream } from 'exceljs'

  // biome-ignore lint/style/noDefaultExport: it is how the package exports it
  export default stream.xlsx.WorkbookWriter
}
