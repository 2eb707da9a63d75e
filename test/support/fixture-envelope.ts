import { expect } from 'vitest'
import type { ApiResponse } from './api.ts'

interface ExpectedFailure {
  readonly status: number
  readonly code: string
  /** A key of `fields`, for `validation_failed`. */
  readonly field?: string
}

const arabic = /\p{Script=Arabic}/u
const latin = /\p{Script=Latin}/u

/** Asserts the one shape of every failure. */
export function expectFailure(response: ApiResponse, { status, code, field }: ExpectedFailure): void {
  expectEnvelope(response)
  expect({ status: response.status, code: response.json.code }, response.text).toEqual({ status, code })
  if (field !== undefined) expect(Object.keys(response.json.fields ?? {}), response.text).toContain(field)
}

/** Asserts what holds of every answer to any request: JSON, an envelope, never a 500, and nothing of the inside in it. */
export function expectEnvelope({ status, json, text, headers }: ApiResponse): void {
  expect(status, text).not.toBe(500)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(json.success).toBe(status === 200)
  expect(text).not.toMatch(/"code":"\d{2}\w{3}"|node_modules|\.ts:\d+|hunter2/)
  if (status !== 200) expect(text).not.toMatch(/\bselect\b.*\bfrom\b|syntax error|invalid input syntax/i)
  if (status !== 200) expectErrors(json)
}

function expectErrors(json: ApiResponse['json']): void {
  const { errors, error, message, code, request_id } = json
  expect(errors.length).toBeGreaterThan(0)
  expect(errors.length % 2).toBe(0)
  for (const [index, text] of errors.entries()) expect(text).toMatch(index % 2 === 1 ? arabic : latin)
  for (const text of errors)
    expect(text).not.toMatch(/\[object|\bundefined\b.*[\u0600-\u06ff]|[\u0600-\u06ff].*\bundefined\b/)
  expect(message).toBe(error)
  expect(errors.slice(0, 2)).toContain(error)
  expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
  expect(request_id).toEqual(expect.stringMatching(/.+/))
}
