import { expect, it, onTestFinished, vi } from 'vitest'
import { prepareDatabase } from '../../infra/local/database/database.ts'
import { startSilentDatabase } from '../support/network/silent-database.ts'

it.each([
  ['never answers a statement', () => vi.advanceTimersByTime(10_000), 'answered no statement within 10 s'],
  ['closes each connection at a statement', (socket: { end(): unknown }) => socket.end(), 'instead of an answer'],
])('a start gives up on a database that lets the login in and %s', async (_, onStatement, message) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const { url, close } = await startSilentDatabase(onStatement)
  onTestFinished(close)
  const { signal } = new AbortController()
  const prepared = prepareDatabase({ url, flights: '200k', report: () => {}, signal })
  await expect(prepared).rejects.toThrow(message)
})
