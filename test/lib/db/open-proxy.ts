import { onTestFinished } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.ts'

/** Opens a proxy to a database that is closed after the test. */
export async function openProxy(url: string): Promise<TcpProxy> {
  const proxy = await startTcpProxy({ target: url })
  onTestFinished(proxy.close)
  return proxy
}
