import { type Bilingual, type Label, translate } from '../i18n/language.ts'
import { type CatalogueEntry, catalogue, defaultStatus, type ErrorCode } from './catalogue.ts'
import { fieldFault, listOptions } from './field-fault.ts'

/** Replacements for the placeholders of a text, in both languages if they are words. */
type Details = Readonly<Record<string, Label | number>>

interface RequestErrorOptions {
  /** A text of the author's own in place of the catalogue's. */
  readonly text?: Bilingual
  /** A second message that helps to correct the request. */
  readonly hint?: Bilingual
  /** A status of the author's own in place of the catalogue's. */
  readonly status?: number
  /** The error behind this failure; logged by class and code only, never sent. */
  readonly cause?: unknown
  /** Messages by path of the request, for `validation_failed`. */
  readonly fields?: Readonly<Record<string, readonly Bilingual[]>>
  /** Response headers that belong to this failure, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Further keys of the response, such as the outcome of each row. */
  readonly payload?: Readonly<Record<string, unknown>>
  /** A code of the author's own in place of the catalogue's, in snake_case. */
  readonly code?: string
}

/** The headers of a failure that brings none of its own. RFC 9110 requires a challenge with every 401. */
const statusHeaders: Readonly<Record<number, RequestError['headers']>> = {
  401: { 'www-authenticate': 'Bearer' },
  503: { 'retry-after': '5' },
}

/** The one error that a client may read. Anything else that is thrown is answered as a bare `internal_error`. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly code: string
  readonly status: number
  readonly text: Bilingual
  readonly hint: Bilingual | undefined
  readonly fields: RequestErrorOptions['fields']
  readonly headers: Readonly<Record<string, string>>
  readonly payload: RequestErrorOptions['payload']

  constructor(code: ErrorCode, details: Details = {}, options: RequestErrorOptions = {}) {
    const { status = defaultStatus, en, ar }: CatalogueEntry = catalogue[code]
    const text = options.text ?? { en: fill(en, details, 'en'), ar: fill(ar, details, 'ar') }
    super(text.en, { cause: options.cause })
    this.code = options.code ?? code
    this.status = options.status ?? status
    this.text = text
    this.hint = options.hint
    this.fields = options.fields
    this.payload = options.payload
    this.headers = options.headers ?? statusHeaders[this.status] ?? {}
  }
}

/** Returns one text for each fault of a field; for a failure without fields its own text and the hint. */
export function listTexts({ fields, text, hint }: RequestError): readonly Bilingual[] {
  const faults = Object.entries(fields ?? {}).flatMap(([path, texts]) =>
    texts.map(({ en, ar }) => ({ en: `${path}: ${en}`, ar: `${path}: ${ar}` })),
  )
  if (faults.length > 0) return faults
  return hint === undefined ? [text] : [text, hint]
}

/** A 422 that names each field and what is wrong with it, in both languages. */
export function validationFailed(fields: Readonly<Record<string, readonly Bilingual[]>>): RequestError {
  return new RequestError('validation_failed', { field: Object.keys(fields).join(', ') }, { fields })
}

/** Reads several parts of a request, and where some cannot be read refuses them all in one response. */
export function allReadable<const Parts extends readonly unknown[]>(
  readers: { readonly [Index in keyof Parts]: () => Parts[Index] },
): Parts {
  const faults: RequestError[] = []
  const parts = readers.map((read) => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof RequestError) || error.fields === undefined) throw error
      return faults.push(error)
    }
  })
  if (faults.length > 0) throw validationFailed(Object.assign({}, ...faults.map(({ fields }) => fields)))
  // Every reader has answered in its place.
  return parts as unknown as Parts
}

/** A 422 about one value whose reader does not know its field; the caller puts the field's path in. */
export const valueFault = (...fault: Parameters<typeof fieldFault>): RequestError =>
  validationFailed({ '': [fieldFault(...fault)] })

/** A 422 about one value that is not among the options, without a path as in `valueFault`. */
export const optionFault = (options: Iterable<unknown>): RequestError =>
  validationFailed({ '': [listOptions(options)] })

/** Returns the faults that the reader of a value has thrown. Throws anything else again. */
export function readFaults(error: unknown): readonly Bilingual[] {
  const faults = error instanceof RequestError ? error.fields?.[''] : undefined
  if (faults === undefined) throw error
  return faults
}

/**
 * A rejection by a table's own middleware: 403 `forbidden` unless it says otherwise, with a text in both languages.
 * Throws for a status that is no failure, by which the caller would take the refusal for a success.
 */
export function forbidden(text?: Bilingual, status = 403): RequestError {
  if (!(status >= 400 && status < 600)) throw new RangeError('forbidden() takes a status from 400 to 599')
  return new RequestError('forbidden', {}, text === undefined ? { status } : { status, text })
}

/**
 * Creates the error by which an action's own code refuses: 422 `action_failed`, or a code of its own, with a text in
 * both languages.
 */
export const refuse = (text: Bilingual, code = 'action_failed'): RequestError =>
  new RequestError('action_failed', {}, { text, code })

const maxDetailLength = 200

function fill(template: string, details: Details, language: keyof Bilingual): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const detail = Object.hasOwn(details, name) ? details[name] : undefined
    if (detail === undefined) return placeholder
    return (typeof detail === 'number' ? String(detail) : translate(detail, language)).slice(0, maxDetailLength)
  })
}
