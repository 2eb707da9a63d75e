import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { RequestError } from '../errors/request-error.ts'
import type { Language } from '../i18n/language.ts'

const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/** A successful answer: `{"success": true, ...payload}`. */
export const succeeded = (
  payload: object,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode: 200,
  headers: { ...commonHeaders, ...headers },
  body: JSON.stringify({ success: true, ...payload }),
})

/** The one shape of every failure (wire contract 2). Only a `RequestError` says more than that something went wrong. */
export function failed(thrown: unknown, language: Language, requestId: string): APIGatewayProxyStructuredResultV2 {
  const error = thrown instanceof RequestError ? thrown : new RequestError('internal_error')
  const fields = Object.entries(error.fields ?? {})
  const errors = [
    error.text.en,
    error.text.ar,
    ...fields.flatMap(([path, faults]) => faults.flatMap(({ en, ar }) => [`${path}: ${en}`, `${path}: ${ar}`])),
  ]
  return {
    statusCode: error.status,
    headers: { ...commonHeaders, ...error.headers },
    body: JSON.stringify({
      success: false,
      errors,
      error: error.text[language],
      message: error.text[language],
      code: error.code,
      request_id: requestId,
      ...(error.fields !== undefined && {
        fields: Object.fromEntries(fields.map(([path, faults]) => [path, faults.map((fault) => fault[language])])),
      }),
    }),
  }
}
