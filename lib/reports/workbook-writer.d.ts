/** The streaming writer alone: the package's own entry loads three times as much code. */
declare module 'exceljs/lib/stream/xlsx/workbook-writer.js' {
  import { stream } from 'exceljs'

  // biome-ignore lint/style/noDefaultExport: it is how the package exports it
  export default stream.xlsx.WorkbookWriter
}
