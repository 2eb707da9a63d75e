/**
 * How long to wait for what takes seconds on a quiet machine. A loaded machine is slow, not wrong: it only bounds what
 * hangs.
 */
export const patienceMs = 120_000

/** The limits of every test, in Vitest's configuration. A test of its own has none. */
export const limits = {
  testTimeout: 2 * patienceMs,
  // A hook may synthesize a stage.
  hookTimeout: 5 * patienceMs,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: patienceMs, interval: 20 } },
} as const
