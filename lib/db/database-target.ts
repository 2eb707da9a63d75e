import { readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Config } from '../config.ts'
import { ConnectionError } from './database-error.ts'

/** The address of the database and the account that logs in. */
export interface DatabaseTarget {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** `undefined` for a plain connection; else the server's name is verified, against `ca` or Node's own roots. */
  readonly tls: { readonly ca: string | undefined } | undefined
}

type TargetConfig = Pick<Config, 'DATABASE_URL' | 'DATABASE_TLS' | 'DATABASE_TLS_CA'>

/**
 * Reads the URL and the authority's certificates (a text, or the path of a file). Query parameters of the URL are
 * ignored: how to connect is said by the other settings alone. No error of it names the URL, which holds a password.
 */
export function databaseTarget(config: TargetConfig): DatabaseTarget {
  const url = URL.parse(config.DATABASE_URL)
  if (url === null) throw new Error('DATABASE_URL is not a URL; are special characters of the password %-encoded?')
  const user = decodeURIComponent(url.username)
  return {
    host: decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost',
    port: url.port === '' ? 5432 : Number(url.port),
    user,
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || user,
    tls: config.DATABASE_TLS === 'off' ? undefined : { ca: certificates(config.DATABASE_TLS_CA) },
  }
}

function certificates(textOrPath: string | undefined): string | undefined {
  if (textOrPath === undefined || textOrPath.includes('-----BEGIN')) return textOrPath
  return readFileSync(textOrPath, 'utf8')
}

const tlsRequest = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47)

/**
 * Opens one socket to the server, TLS included, without Nagle's delay (with it each TLS log-in waits 40 ms for an
 * acknowledgement). `hold` gets each socket as soon as it exists, so that the caller can destroy it at any time.
 */
export async function openSocket(target: DatabaseTarget, hold: (socket: Socket) => void): Promise<Socket> {
  const { host, port, tls } = target
  const plain = connect({ host, port, noDelay: true })
  hold(plain)
  await waitForEvent(plain, 'connect')
  if (tls === undefined) return plain
  plain.write(tlsRequest)
  const response = await waitForEvent(plain, 'data')
  // More than one byte would be text that a third party inserted before the encryption began.
  if (!(response instanceof Uint8Array) || response.length !== 1 || response[0] !== 0x53) {
    throw new Error('the database server does not offer TLS')
  }
  const name = isIP(host) === 0 ? { servername: host } : {}
  const secure = connectTls({ socket: plain, host, ...name, ca: tls.ca, rejectUnauthorized: true })
  hold(secure)
  await waitForEvent(secure, 'secureConnect')
  return secure
}

function waitForEvent(socket: Socket, event: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve)
    socket.once('error', reject)
    socket.once('close', () =>
      reject(new ConnectionError('CONNECT_FAILED', 'the database server closed the connection')),
    )
  })
}
