/** The address that the service sends in place of one that it refuses. */
const disabledLink = '!#'

/** An address that a link may lead to, or `undefined`: a cell must never run anything. */
export function safeHref(text: string): string | undefined {
  if (text === disabledLink) return undefined
  try {
    const { protocol } = new URL(text, location.href)
    return ['http:', 'https:', 'mailto:', 'tel:'].includes(protocol) ? text : undefined
  } catch {
    return undefined
  }
}
