import { importError } from '../errors/import-error.ts'
import type { SentFile } from './file-rows.ts'
import { readCsv } from './read-csv.ts'
import { readWorkbook } from './read-workbook.ts'

const archiveStart = Buffer.from('PK\x03\x04', 'latin1')
/** The beginning of old and of encrypted workbooks. */
const compoundStart = Buffer.from('d0cf11e0a1b11ae1', 'hex')

const oldFormat = {
  en: 'it is encrypted or in the old format .xls; save it as .xlsx without a password and send it again',
  ar: 'إنه مشفّر أو بالصيغة القديمة ‎.xls؛ احفظه بصيغة ‎.xlsx دون كلمة مرور وأعد إرساله',
}

/** Opens a workbook or a CSV file, recognized by its first bytes. Throws the reason why a file cannot be read. */
export async function openSentFile(bytes: Buffer): Promise<SentFile> {
  const begins = (start: Buffer) => bytes.subarray(0, start.length).equals(start)
  if (begins(compoundStart)) throw importError('import_refused', oldFormat)
  return begins(archiveStart) ? readWorkbook(bytes) : readCsv(bytes)
}
