import compression from 'compression'

/** Opens a pool of the same size as the other servers have. */
export const connections = Number(process.env.DATABASE_CONNECTIONS)
export const databaseUrl = process.env.DATABASE_URL

/** The middleware by which servers on Node usually compress, as it is by default. */
export const compress = compression()

/** Listens on a free port, which the parent process receives, and ends with the parent. */
export function listen(server) {
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => process.send?.(server.address().port))
}
