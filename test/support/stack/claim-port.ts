import { randomInt } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { isFreePort } from '../../../infra/local/free-port.ts'

// Below the ports that stacks and local Postgres servers choose for themselves, and above 10080, which browsers refuse.
const minPort = 10_100
const maxPort = 20_000

/**
 * Returns a TCP port of 127.0.0.1 that nothing else of the run is given: a stack may listen on it seconds later, end,
 * and start on it again.
 */
export async function claimPort(): Promise<number> {
  for (;;) {
    const port = randomInt(minPort, maxPort)
    const isClaimed = await mkdir(join(inject('sharedDirectory'), `port-${port}`)).then(
      () => true,
      () => false,
    )
    if (isClaimed && (await isFreePort(port))) return port
  }
}
