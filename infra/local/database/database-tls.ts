/** Whether a database is on this machine, where nothing is encrypted on the way. */
export const isOwnDatabase = (url: string): boolean =>
  ['', '127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)

/** False for plain text; an object is handed to node:tls. */
type DatabaseTls = false | { readonly ca?: string }

/** As the functions connect: DATABASE_TLS and DATABASE_TLS_CA are settings of theirs. */
export function databaseTls(url: string): DatabaseTls {
  const { DATABASE_TLS: tls = isOwnDatabase(url) ? 'off' : 'verify', DATABASE_TLS_CA: ca } = process.env
  return tls !== 'off' && { ...(ca && { ca }) }
}
