import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { isObject, ownValue, type UnknownBody } from '../table/unknown-body.ts'

/** The most bytes of a request body. */
const maxBodyBytes = 1_048_576

const maxDepth = 64

type Event = Pick<APIGatewayProxyEventV2, 'body' | 'headers' | 'isBase64Encoded'>

/** The JSON object in an event's body; an empty body is an empty object. */
export function readBody({ body, headers, isBase64Encoded }: Event): UnknownBody {
  if (body === undefined || body === '') return {}
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? ''))
    throw invalidBody({ en: 'it is compressed', ar: 'المحتوى مضغوط' })
  const bytes = isBase64Encoded ? Buffer.from(body, 'base64') : undefined
  const size = bytes?.length ?? Buffer.byteLength(body)
  if (size > maxBodyBytes) throw new RequestError('body_too_large', { limit: maxBodyBytes })
  // `trim` removes the byte order mark, too.
  const text = (bytes === undefined ? body : decodeUtf8(bytes)).trim()
  if (text === '') return {}
  if (isTooDeep(text)) throw invalidBody({ en: 'it is nested too deeply', ar: 'المحتوى متداخل أكثر من اللازم' })
  const value = parseJson(text)
  if (!isObject(value)) throw invalidBody({ en: 'it is not an object', ar: 'المحتوى ليس كائنًا' })
  return value
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw invalidBody({ en: 'it is not UTF-8 text', ar: 'المحتوى ليس نصًا بترميز UTF-8' }, error)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidBody({ en: 'it is not JSON', ar: 'المحتوى ليس بصيغة JSON' }, error)
  }
}

const invalidBody = (reason: Bilingual, cause?: unknown) => new RequestError('invalid_body', { reason }, { cause })

/** Anything deeper than this is no request of ours, and would only overflow a stack further on. */
function isTooDeep(text: string): boolean {
  if (text.length < 2 * maxDepth) return false
  let depth = 0
  let inText = false
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (inText) {
      if (character === 92) index++
      else if (character === 34) inText = false
    } else if (character === 34) inText = true
    else if (character === 123 || character === 91) {
      if (++depth > maxDepth) return true
    } else if (character === 125 || character === 93) depth--
  }
  return false
}

const reservedQueryKey = 'params'
const bracketedKey = /^params\[(.*)\]$/s

/**
 * Reads the `params` of a request: flat query keys, `params[k]=v`, `params=<JSON object>` and a body's `params`, merged
 * in this order, the last one winning. Flat keys in `otherKeys` are not params. Names such as `__proto__` are data.
 */
export function readQueryParams(
  rawQueryString: string | undefined,
  body: UnknownBody,
  otherKeys: readonly string[] = [],
): unknown {
  const merged: Record<string, unknown> = Object.create(null)
  const pairs = [...new URLSearchParams(rawQueryString ?? '')].filter(([name]) => !otherKeys.includes(name))
  for (const [name, value] of pairs) {
    if (name !== reservedQueryKey && !bracketedKey.test(name)) merged[name] = value
  }
  for (const [name, value] of pairs) {
    const inner = bracketedKey.exec(name)?.[1]
    if (inner !== undefined) merged[inner] = value
  }
  for (const [name, value] of pairs) if (name === reservedQueryKey) assign(merged, parseObject(value))
  const inBody = ownValue(body, reservedQueryKey) ?? undefined
  if (inBody === undefined) return merged
  if (!isObject(inBody)) return inBody
  assign(merged, inBody)
  return merged
}

const assign = (target: Record<string, unknown>, source: UnknownBody): void => {
  for (const key of Object.keys(source)) target[key] = source[key]
}

function parseObject(text: string): UnknownBody {
  const value = isTooDeep(text) ? undefined : tryParseJson(text)
  if (!isObject(value)) throw validationFailed({ [reservedQueryKey]: [fieldFault('not_an_object')] })
  return value
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
