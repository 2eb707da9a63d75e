import { drive } from '../drive.ts'
import { openHttpConnection } from '../http-connection.ts'

/** The load that this process generates. */
export interface HttpLoad {
  readonly port: number
  /** Sent in turn. */
  readonly requests: readonly string[]
  readonly inFlight: number
  readonly milliseconds: number
}

// Puts load on one server at a time, over as many connections as requests are in flight, and tells what it came to.
process.on('message', async ({ port, requests, inFlight, milliseconds }: HttpLoad) => {
  const connections = await Promise.all(Array.from({ length: inFlight }, () => openHttpConnection(port)))
  const free = [...connections]
  let sent = 0
  const call = async (): Promise<void> => {
    const connection = free.pop()
    if (connection === undefined) throw new Error('more requests than connections')
    const { status } = await connection.send(requests[sent++ % requests.length] ?? '')
    if (status !== 200) throw new Error(`the server answered ${status}`)
    free.push(connection)
  }
  process.send?.(await drive(call, inFlight, milliseconds))
  for (const { close } of connections) close()
})
process.on('disconnect', () => process.exit())
