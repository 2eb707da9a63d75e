const text = Symbol('json')

/** A value that is JSON text already, so that what many rows share is written once and not for each of them. */
export interface JsonText {
  readonly [text]: string
}

/** Takes JSON text as it is. */
export const jsonText = (json: string): JsonText => ({ [text]: json })

// Pieces are added up, not joined: the whole is then copied once, when it is sent.

/** A JSON list of values that are JSON text. */
export function jsonList(values: readonly JsonText[]): JsonText {
  let members = ''
  for (const value of values) members += members === '' ? value[text] : `,${value[text]}`
  return jsonText(`[${members}]`)
}

/** A JSON object of values, each of which may be JSON text; a value that JSON has no word for is left out. */
export function jsonObject(values: Readonly<Record<string, unknown>>): JsonText {
  let members = ''
  for (const key of Object.keys(values)) {
    const value = values[key]
    const json = isJsonText(value) ? value[text] : toJson(value)
    if (json === undefined) continue
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${json}`
  }
  return jsonText(`{${members}}`)
}

/** As cells have it, a bigint is a text. Values with one are rare, and a replacer would slow all others down. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
  }
}

/** The text of such a value. */
export const jsonTextValue = (value: JsonText): string => value[text]

const isJsonText = (value: unknown): value is JsonText => typeof value === 'object' && value !== null && text in value
