const text = Symbol('json')

/** A value that is JSON text already, so that what many rows share is written once and not for each of them. */
export interface JsonText {
  readonly [text]: string
}

/** Takes JSON text as it is. */
export const jsonText = (json: string): JsonText => ({ [text]: json })

/** A JSON list of values that are JSON text. */
export const jsonList = (values: readonly JsonText[]): JsonText =>
  jsonText(`[${values.map((value) => value[text]).join(',')}]`)

/** A JSON object of values, each of which may be JSON text; a value that is `undefined` is left out. */
export function jsonObject(values: Readonly<Record<string, unknown>>): JsonText {
  const members: string[] = []
  for (const key of Object.keys(values)) {
    const value = values[key]
    if (value !== undefined)
      members.push(`${JSON.stringify(key)}:${isJsonText(value) ? value[text] : JSON.stringify(value)}`)
  }
  return jsonText(`{${members.join(',')}}`)
}

/** The text of such a value. */
export const textOfJson = (value: JsonText): string => value[text]

const isJsonText = (value: unknown): value is JsonText => typeof value === 'object' && value !== null && text in value
