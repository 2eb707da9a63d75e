/**
 * Returns whether a schema, or a part of it, checks or transforms values by an async function. Requests do not wait for
 * one. A function that returns a promise without being declared async is not found.
 */
export function isAsyncSchema(part: unknown, met = new Set<unknown>()): boolean {
  if (typeof part === 'function') return part.constructor.name === 'AsyncFunction'
  if (typeof part !== 'object' || part === null || met.has(part)) return false
  met.add(part)
  const parts: object = '_zod' in part ? Object(part._zod).def : part
  // A default is a value, and reading it may run a function.
  const keys = Object.keys(parts).filter((key) => key !== 'defaultValue')
  return keys.some((key) => isAsyncSchema(Reflect.get(parts, key), met))
}
