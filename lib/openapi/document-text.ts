import { createHash, randomUUID } from 'node:crypto'
import type { EndpointName } from '../routes.ts'
import { hasOpenForm } from '../table/action-entry.ts'
import type { BulkAction, RowAction } from '../table/compiled-table.ts'
import { hasEditing } from '../table/has-editing.ts'
import type { TableView } from '../table/view.ts'
import type { ExampleResponse, ExampleResponses } from './collect-example-responses.ts'
import { hasKeyBeside } from './endpoint-bodies.ts'
import type { NamedTable } from './named-table.ts'
import {
  type DescribedPaths,
  type DocumentSubject,
  describeFrame,
  describeParts,
  describePaths,
} from './open-api-document.ts'

/** A document as text, without its examples and with their places. */
export interface DocumentText {
  /** The entity tag: equal for documents that differ in their examples alone. */
  readonly tag: string
  /** The characters of the text. */
  readonly length: number
  /** Returns the text with these examples, which are rows of one caller and are kept nowhere. */
  readonly write: (examples: ExampleResponses) => string
}

type Part = keyof ExampleResponse

/** The text up to the place of an example; the last one has none behind it. */
interface Piece {
  readonly text: string
  readonly example?: { readonly endpoint: EndpointName; readonly part: Part }
}

const endpointsWithExamples = [
  'loadTable',
  'queryTableData',
  'rowRefetch',
  'multiRowRefetch',
  'rowBulkTableAction',
] as const satisfies readonly EndpointName[]

/** Creates the text of the document. */
function createDocumentText(described: Omit<DocumentSubject, 'examples'>): DocumentText {
  // No text of an author has it, and the tag does not depend on it.
  const mark = randomUUID()
  const examples = Object.fromEntries(
    endpointsWithExamples.map((name) => [name, { response: `${mark} ${name} response`, body: `${mark} ${name} body` }]),
  )
  const pieces = splitAtMarks(writeDocument({ ...described, examples } as DocumentSubject), mark)
  return {
    tag: createTag(pieces),
    length: pieces.reduce((sum, { text }) => sum + text.length, 0),
    write: (known) =>
      pieces
        .map(({ text, example }) => text + exampleText(example && known[example.endpoint]?.[example.part]))
        .join(''),
  }
}

/**
 * Writes each part as soon as it is described, so that most of its objects never leave the youngest generation of the
 * heap.
 */
function writeDocument(described: DocumentSubject): string {
  const paths: string[] = []
  const schemas: string[] = []
  for (const part of describeParts(described, createPathWriter(described))) {
    paths.push(part.paths ?? '')
    schemas.push(writeMembers(part.schemas))
  }
  const { components, ...frame } = describeFrame(described)
  const list = (members: readonly string[]) => members.filter((text) => text !== '').join(',')
  return `{${writeMembers(frame)},"paths":{${list(paths)}},"components":{"schemas":{${list(schemas)}},${writeMembers(components)}}}`
}

function splitAtMarks(document: string, mark: string): readonly Piece[] {
  const pieces: Piece[] = []
  let begin = 0
  const place = new RegExp(`,"examples":\\{"real":\\{"value":"${mark} (\\w+) (response|body)"\\}\\}`, 'g')
  for (const found of document.matchAll(place)) {
    const example = { endpoint: found[1] as EndpointName, part: found[2] as Part }
    pieces.push({ text: document.slice(begin, found.index), example })
    begin = found.index + found[0].length
  }
  return [...pieces, { text: document.slice(begin) }]
}

const exampleText = (value: unknown): string =>
  value === undefined ? '' : `,"examples":{"real":{"value":${JSON.stringify(value)}}}`

function createTag(pieces: readonly Piece[]): string {
  const digest = createHash('sha256')
  for (const { text } of pieces) digest.update(text)
  return `W/"${digest.digest('base64url').slice(0, 27)}"`
}

/** The documents that one process has made, so that each is made once for all callers who may know the same. */
export interface DocumentCache {
  /** Finds the document of these views, or makes it of what `describe` returns. */
  readonly find: (about: DocumentKey, describe: () => Omit<DocumentSubject, 'examples'>) => DocumentText
}

/** All that documents of one service depend on. */
interface DocumentKey extends Pick<DocumentSubject, 'guard' | 'baseUrl' | 'language'> {
  /** The views of the caller, in their order. */
  readonly views: readonly TableView[]
}

/** The characters that a process keeps beside its last document. That of 500 tables has 15 million. */
const maxLength = 32_000_000

/** Creates a cache for the documents of one service. */
export function createDocumentCache(): DocumentCache {
  const documents = new Map<string, DocumentText>()
  return {
    find: ({ guard, baseUrl, language, views }, describe) => {
      const key = [guard, baseUrl, language, ...views.map(viewNumber)].join(' ')
      const document = documents.get(key) ?? createDocumentText(describe())
      // The last one that was used is the last one to go.
      documents.delete(key)
      documents.set(key, document)
      let length = 0
      for (const [name, { length: own }] of [...documents].reverse()) {
        length += own
        if (length > maxLength && name !== key) documents.delete(name)
      }
      return document
    },
  }
}

const numbers = new WeakMap<TableView, number>()
let lastNumber = 0

/** Returns a number for a view, which is the same object for all callers who may know the same of its table. */
function viewNumber(view: TableView): number {
  const known = numbers.get(view)
  if (known !== undefined) return known
  lastNumber += 1
  numbers.set(view, lastNumber)
  return lastNumber
}

/** Writes the members of an object as JSON, without its braces. */
const writeMembers = (value: object): string => JSON.stringify(value).slice(1, -1)

/**
 * Creates a function that writes the paths of a table as members of the document's. Tables with equal actions have
 * equal operations but for their names, so that only those of the first are described: of 500 tables they are half of
 * the text.
 */
function createPathWriter(described: DocumentSubject): (table: NamedTable | undefined) => DescribedPaths<string> {
  const [first] = described.tables
  const known = new Map<string, DescribedPaths<string>>()
  // No text of an author has them, and they need no escape in a path, in a name or in JSON.
  const marks = { name: randomUUID(), path: randomUUID() }
  const write = (table: NamedTable | undefined) => {
    const { paths, references } = describePaths(table, described)
    return { paths: writeMembers(paths), references }
  }
  return (table) => {
    // The first table alone has examples.
    if (table === undefined || table.view === first) return write(table)
    const { name, view } = table
    const key = describeActions(view)
    const standIn = { name: marks.name, view: { ...view, table: { ...view.table, name: marks.path } } }
    const template = known.get(key) ?? write(standIn)
    known.set(key, template)
    return {
      paths: template.paths.replaceAll(marks.name, name).replaceAll(marks.path, encodeURIComponent(view.table.name)),
      references: new Set([...template.references].map((reference) => reference.replace(marks.name, name))),
    }
  }
}

/** Returns the facts about a table on which its operations depend, beside its name. */
function describeActions(view: TableView): string {
  const describe = (action: RowAction | BulkAction) => {
    const { key, definition } = action
    return [key, !definition.form, hasKeyBeside(action), hasOpenForm(definition)]
  }
  const rows = view.rowActions.map((action) => [...describe(action), action.definition.bulk === undefined])
  const several = view.bulkActions.map(describe)
  return JSON.stringify([rows, several, hasEditing(view), view.table.formerNames.length > 0])
}
