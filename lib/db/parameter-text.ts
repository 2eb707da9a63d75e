/** What a statement takes as a parameter. The server infers its type from where it stands in the text. */
export type ParameterValue = string | number | bigint | boolean | null | Date | Uint8Array | readonly ParameterValue[]

const mostParameters = 65_000

/**
 * Parameters in the server's text format. Objects become JSON. Throws a TypeError for `undefined`, a function or a symbol,
 * and for more than 65,000: the driver would lose its place in the protocol.
 */
export function parameterTexts(parameters: readonly unknown[]): (string | null)[] {
  if (parameters.length > mostParameters) throw new TypeError(`a statement has ${parameters.length} parameters`)
  return parameters.map(parameterText)
}

function parameterText(value: unknown): string | null {
  if (typeof value === 'string' || value === null) return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') throw new TypeError(`a parameter of a statement is ${typeof value}`)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  return Array.isArray(value) ? arrayText(value) : JSON.stringify(value)
}

function arrayText(values: readonly unknown[]): string {
  return `{${values.map((value) => (Array.isArray(value) ? arrayText(value) : elementText(value))).join(',')}}`
}

function elementText(value: unknown): string {
  const text = parameterText(value)
  return text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`
}
