import { expect, it, onTestFinished, vi } from 'vitest'
import { createCircuitBreaker } from '../../../lib/db/pool.ts'

const open = { code: 'CIRCUIT_OPEN' }

function createBreaker() {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const breaker = createCircuitBreaker()
  const fail = (times: number) => Array.from({ length: times }, breaker.recordFailure)
  const pass = (milliseconds: number) => void vi.advanceTimersByTime(milliseconds)
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

it('closes after three seconds in which the process was frozen, and not later if the clock is set back', () => {
  const { check, fail, pass } = createBreaker()
  fail(5)
  vi.setSystemTime(Date.now() + 3_000)
  check()
  fail(1)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(check).toThrow(expect.objectContaining(open))
  pass(3_000)
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
