import type { SentFile } from '../reports/file-rows.ts'
import { type Manifest, nameFile, readManifest, roundTripName } from '../reports/row-token.ts'
import type { OpenedTarget } from './job.ts'
import { openKeylessFile } from './keyless-file.ts'
import { type OpenedFile, type OpenedSheet, openSheet, refuseFile } from './open-sheet.ts'

/** Opens the sheets of a file that have rows of the table. Throws the reason why the file is refused. */
export async function openFileColumns(file: SentFile, target: OpenedTarget, secret: string): Promise<OpenedFile> {
  const sealed = await readSealedManifest(file)
  if (sealed === undefined) return openKeylessFile(file, target)
  const manifest = readManifest(secret, sealed)
  if (manifest === undefined) throw refuseFile('altered')
  assertOwn(manifest, target)
  const ignored = new Set<string>()
  const sheets: OpenedSheet[] = []
  for (const sheet of file.sheets.filter(({ name }) => name !== roundTripName)) {
    const opened = await openSheet(sheet, manifest.columns, (header) => header === roundTripName, ignored)
    if (opened !== undefined) sheets.push(opened)
  }
  if (sheets.length === 0) throw refuseFile('noKeys')
  const { language, timeZone, columns } = manifest
  return {
    ...{ kind: file.kind, sheets, ignored: [...ignored], language, timeZone, isFrom1904: file.isFrom1904 },
    ...{ file: nameFile(sealed), matchedBy: undefined },
    exported: columns.filter(({ isEditable }) => isEditable).map(({ key }) => key),
  }
}

function assertOwn({ table, subject, guard }: Manifest, { view, context }: OpenedTarget): void {
  if (table !== view.table.name) throw refuseFile('otherTable')
  if (guard !== context.guard) throw refuseFile('otherGuard')
  if (subject !== context.identity.subject) throw refuseFile('otherCaller')
}

const maxManifestCells = 100

async function readSealedManifest({ sheets }: SentFile): Promise<string | undefined> {
  const sheet = sheets.find(({ name }) => name === roundTripName)
  if (sheet === undefined) return undefined
  let text = ''
  let count = 0
  for await (const { cells } of sheet.rows()) {
    text += String(cells.get(0)?.value ?? '')
    count += 1
    if (count > maxManifestCells) break
  }
  return text
}
