import type { Config } from '../config.ts'

/**
 * The Content-Security-Policy of the explorer: code and styles from its own files alone, requests to its own service, to the
 * WebSocket, and (on the local stack) to where demo users get their tokens. Pictures may come from where a table says.
 */
export function explorerPolicy({ SOCKET_URL, EXPLORER_DEMO_USERS }: Config): string {
  const connected = [SOCKET_URL, EXPLORER_DEMO_USERS].flatMap((url) => (url === undefined ? [] : [originOf(url)]))
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${["'self'", ...connected].join(' ')}`,
    "img-src 'self' data: https:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types explorer',
  ].join('; ')
}

/** The scheme and host of a URL; `origin` itself is null for WebSockets. */
function originOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
