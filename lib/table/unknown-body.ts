/** The own keys of a JSON object that is not checked yet. */
export type UnknownBody = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is UnknownBody =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads an own key of a body; `undefined` where it is absent or inherited. */
export const ownValue = (body: UnknownBody, key: string): unknown => (Object.hasOwn(body, key) ? body[key] : undefined)
