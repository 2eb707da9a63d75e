/** The address of a link cell whose own address is unsafe. Clients draw it as a link that leads nowhere. */
export const disabledLink = '!#'

const allowedSchemes = new Set(['http', 'https', 'mailto', 'tel'])

/** Browsers ignore control characters and spaces in front of a scheme, and tabs and line ends inside it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what browsers ignore
const ignored = /[\u0000-\u0020]/g

const scheme = /^([a-z][a-z0-9+.-]*):/i

/**
 * Returns an http, https, mailto, tel or relative URL as it is; any other could run a script in the client's page. An
 * author's function may return none, because the JSON of a row may lack the key.
 */
export function safeUrl(address: unknown): string {
  const url = String(address ?? disabledLink)
  const [, name] = scheme.exec(url.replace(ignored, '')) ?? []
  return name === undefined || allowedSchemes.has(name.toLowerCase()) ? url : disabledLink
}
