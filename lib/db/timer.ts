/**
 * Starts to count time. Returns a function that reads the milliseconds since, by the clock that has gone further: that
 * of the process may stand still while a function is frozen, and that of the machine may be set.
 */
export function startTimer(): () => number {
  const processMs = performance.now()
  const machineMs = Date.now()
  return () => Math.max(performance.now() - processMs, Date.now() - machineMs)
}
