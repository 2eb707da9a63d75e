/**
 * Returns the text to print for an error: that of its first cause, because drizzle's own errors name the statement, and
 * only their cause says why it failed. A SyntaxError comes with the file, the line and the source, which its message
 * lacks, and the driver's error for a silent database says only where it was.
 */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof SyntaxError) return (error.stack ?? error.message).split(/\n\s+at /)[0] ?? error.message
  if (errorCode(error) === 'CONNECT_TIMEOUT') return 'the database accepted the connection and did not answer in time'
  // Node advises to write a misspelt option as a positional argument, which no command takes it for.
  if (errorCode(error) === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return error.message.replace(/\. To specify a positional argument .*/s, '')
  const cause = error.cause instanceof Error ? errorMessage(error.cause) : undefined
  // An error that repeats its cause adds to it, such as the fix.
  return cause === undefined || error.message.includes(cause) ? error.message || error.name : cause
}

/** Returns the code of an error of Node or of a driver; empty where it has none. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
