/** Calls a handler of the page. What it throws is reported as uncaught, and stops nothing else. */
export function notify(call: () => void): void {
  try {
    call()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
