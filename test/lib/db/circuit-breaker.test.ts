import { expect, it } from 'vitest'
import { createCircuitBreaker } from '../../../lib/db/pool.ts'

const open = { code: 'CIRCUIT_OPEN' }

function createBreaker() {
  let now = 0
  const breaker = createCircuitBreaker(() => now)
  const fail = (times: number) => Array.from({ length: times }, breaker.recordFailure)
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { ...breaker, fail, pass }
}

it('opens after five failures in a row, for three seconds', () => {
  const { check, fail, pass } = createBreaker()
  fail(4)
  check()
  fail(1)
  expect(check).toThrow(expect.objectContaining(open))
  pass(2_999)
  expect(check).toThrow(expect.objectContaining(open))
  pass(1)
  check()
})

it('counts failures anew after a success', () => {
  const { check, fail, recordSuccess } = createBreaker()
  fail(4)
  recordSuccess()
  fail(4)
  check()
  fail(1)
  expect(check).toThrow(expect.objectContaining(open))
})
