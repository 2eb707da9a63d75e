/**
 * Returns the text to print for an error: that of its first cause, because drizzle's own errors name the statement, and
 * only their cause says why it failed. A SyntaxError comes with the file, the line and the source, which its message
 * lacks.
 */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof SyntaxError) return (error.stack ?? error.message).split(/\n\s+at /)[0] ?? error.message
  return error.cause instanceof Error ? errorMessage(error.cause) : error.message || error.name
}
