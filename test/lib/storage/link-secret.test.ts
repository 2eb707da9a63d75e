import { expect, it } from 'vitest'
import { readDownloadToken, writeDownloadToken } from '../../../lib/storage/download-link.ts'

const id = '0b7e7f43-7d8f-4a3c-9a57-0d6a5b1f9f55'
const former = 'former-secret-of-more-than-32-characters'
const present = 'present-secret-of-more-than-32-characters'

it('a link works under the service secret that signed it, and no other', () => {
  const token = writeDownloadToken(former, id, new Date(Date.now() + 60_000))
  expect(readDownloadToken(former, token)).toBe(id)
  expect(readDownloadToken(present, token)).toBeUndefined()
})
