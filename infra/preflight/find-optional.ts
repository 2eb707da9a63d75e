/** Whether AWS has answered that there is nothing of this name. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  (/^(NotFoundException|ResourceNotFoundException|NoSuchResourceException)$/.test(error.name) ||
    (error.name === 'ValidationError' && error.message.includes('does not exist')) ||
    /^Invalid\w+\.NotFound$/.test(error.name))

/** Resolves with `undefined` where AWS has nothing of this name. */
export const findOptional = <Value>(response: Promise<Value>): Promise<Value | undefined> =>
  response.catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
