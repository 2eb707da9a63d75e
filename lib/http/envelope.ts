import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { listTexts, RequestError } from '../errors/request-error.ts'
import type { Language } from '../i18n/language.ts'
import type { Reply } from '../operations/reply.ts'
import type { Payload } from '../operations/table-request.ts'
import { jsonObject, jsonTextValue } from '../rows/json-text.ts'

const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/** A successful response: `{"success": true, ...payload}`. */
export const successResponse = (payload: Payload): APIGatewayProxyStructuredResultV2 => ({
  statusCode: 200,
  headers: { ...commonHeaders },
  body: jsonTextValue(jsonObject({ success: true, ...payload })),
})

/** Makes a response that is not a payload. It gets the headers of every response, unless it has its own. */
export const replyResponse = ({ status, headers, body }: Reply): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  headers: { ...commonHeaders, ...headers },
  body: typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64'),
  ...(typeof body !== 'string' && { isBase64Encoded: true }),
})

/** The one shape of every failure. Only a `RequestError` says more than that something went wrong. */
export function errorResponse(
  thrown: unknown,
  language: Language,
  requestId: string,
): APIGatewayProxyStructuredResultV2 {
  const error = thrown instanceof RequestError ? thrown : new RequestError('internal_error')
  const texts = listTexts(error)
  const message = texts[0]?.[language]
  return {
    statusCode: error.status,
    headers: { ...commonHeaders, ...error.headers },
    body: JSON.stringify({
      success: false,
      errors: texts.flatMap(({ en, ar }) => [en, ar]),
      error: message,
      message,
      code: error.code,
      request_id: requestId,
      ...(error.fields !== undefined && { fields: translateFields(error.fields, language) }),
      ...error.payload,
    }),
  }
}

type Fields = NonNullable<RequestError['fields']>

const translateFields = (fields: Fields, language: Language) =>
  Object.fromEntries(Object.entries(fields).map(([path, faults]) => [path, faults.map((fault) => fault[language])]))
