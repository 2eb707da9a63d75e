/** The part of the package that is used here: version 10 brings no types. */
declare module 'html-to-text' {
  interface Selector {
    readonly selector: string
    readonly format?: string
    readonly options?: Readonly<Record<string, unknown>>
  }

  export function compile(options: {
    readonly wordwrap: false
    readonly limits?: { readonly maxDepth?: number }
    readonly selectors?: readonly Selector[]
  }): (html: string) => string
}

/** The streaming writer alone: the package's own entry loads three times as much code. */
declare module 'exceljs/lib/stream/xlsx/workbook-writer.js' {
  import { stream } from 'exceljs'

  // biome-ignore lint/style/noDefaultExport: it is how the package exports it
  export default stream.xlsx.WorkbookWriter
}
