import { ConnectionError, isServerError } from '../db/database-error.ts'
import { logSettings } from '../telemetry/log.ts'

/** The error that was thrown and the one behind it; of anything else that was thrown nothing. */
export const causesOf = (thrown: unknown): readonly Error[] =>
  [thrown, thrown instanceof Error ? property(thrown, 'cause') : undefined].filter((error) => error instanceof Error)

/**
 * What the log tells of one error, whatever its author made of it: class, code and the places in the code. Its message only as
 * far as it speaks of the code, never of values; all of it with LOG_MESSAGES=all.
 */
export const errorFacts = (error: Error) => ({
  name: nameOf(error) ?? 'Error',
  code: shortText(error, 'code'),
  message: logSettings().LOG_MESSAGES === 'all' ? textOf(error, 'message') : aboutCode(error),
  at: framesOf(error),
})

/** The SDK of AWS has its services' codes as names, and of an answer that names none at least the status. */
export function codeOf(error: Error | undefined): string | undefined {
  if (error === undefined) return undefined
  const code = shortText(error, 'code')
  const name = nameOf(error)
  if (typeof code === 'string') return code
  const status = name === 'Error' ? property(Object(property(error, '$metadata')), 'httpStatusCode') : undefined
  return typeof status === 'number' ? `HTTP ${status}` : name
}

const nameOf = (error: Error): string | undefined => {
  const name = shortText(error, 'name')
  return typeof name === 'string' ? name : undefined
}

/** Errors of authors and of their libraries may have getters, and these may throw. */
function property(error: object, key: string): unknown {
  try {
    return Reflect.get(error, key)
  } catch {
    return undefined
  }
}

function textOf(error: Error, key: 'message' | 'stack'): string {
  const text = property(error, key)
  return typeof text === 'string' ? text : ''
}

/** A word of programs. Anything else may be a value, or what no JSON can hold. */
function shortText(error: Error, key: 'name' | 'code'): string | number | undefined {
  const text = property(error, key)
  if (typeof text === 'number') return text
  return typeof text === 'string' && /^[\w.:-]{1,64}$/.test(text) ? text : undefined
}

const ownMessage =
  /^The (scope of the table ".*" did not return SQL|setting [A-Z_]+ is missing|message is not one of this service|environment is not complete:.*)$/s

/** Engines quote keys, arguments and what was not iterable: beyond these words, what they say may be a value. */
const ofEngine =
  /^(Cannot (read|set) properties of (undefined|null)|([\w$.]|\(\.\.\.\)|\(intermediate value\))+ is not (a function|defined)$)/

function aboutCode(error: Error): string | undefined {
  const message = textOf(error, 'message')
  if (isServerError(error)) return namesWhatIsWrong(error) ? message : undefined
  if (error instanceof TypeError || error instanceof ReferenceError) return ofEngine.exec(message)?.[0]
  if (error instanceof ConnectionError) return message
  return nameOf(error) === 'Error' && ownMessage.test(message) ? message : undefined
}

/**
 * SQLSTATE 42 is wrong SQL: undefined names, types that do not fit, rights that are missing. Of a syntax error (42601) the text
 * near it is quoted, and without a position in the statement the name is that of a value, such as one cast to regclass.
 */
function namesWhatIsWrong(error: Error): boolean {
  const code = String(shortText(error, 'code'))
  if (code === '42501') return true
  return code.startsWith('42') && code !== '42601' && property(error, 'position') !== undefined
}

const mostFrames = 8

const place = String.raw`(?:(?:file:|node:|[/\\]|[A-Za-z]:)[^()]*:\d+:\d+|<anonymous>|native|index \d+)`
const frame = new RegExp(String.raw`^\s+at (?:${place}|(?:async )?[\w$.<>#[\] ]*(?:\(${place}\)|${place}))$`)

/** A stack begins with the message, whose own lines may look like places in the code. */
function framesOf(error: Error): readonly string[] {
  const [stack, message] = [textOf(error, 'stack'), textOf(error, 'message')]
  const begin = stack.indexOf(message)
  const lines = (begin < 0 ? stack : stack.slice(begin + message.length)).split('\n')
  return lines
    .slice(lines.findLastIndex((line) => !/^\s+at /.test(line)) + 1)
    .filter((line) => frame.test(line))
    .slice(0, mostFrames)
    .map((line) => line.trim())
}
