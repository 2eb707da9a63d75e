let isWatched = false

/**
 * Lets this process end with exit code 1 where its output cannot be written, such as on a full disk: the console keeps
 * that for itself. A reader that wants no more, such as `head`, is no failure.
 */
export function refuseLostOutput(): void {
  if (isWatched) return
  isWatched = true
  let isLost = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isLost || error.code === 'EPIPE') return
    isLost = true
    console.error(`The output could not be written: ${error.message}`)
    process.on('exit', () => {
      process.exitCode ||= 1
    })
  })
}
