import { expect, it } from 'vitest'
import { createTableClient } from '../../../lib/client/index.ts'

it.each([
  [`attachment; filename="_.csv"; filename*=UTF-8''%D8%A7.csv`, 'ا.csv'],
  [`attachment; filename*=UTF-8''100%.csv`, 'download'],
  [`attachment; filename*=UTF-8''%D8.csv`, 'download'],
  ['attachment', 'download'],
])('a file is downloaded also if its name cannot be read: %s', async (disposition, expected) => {
  const headers = { 'content-disposition': disposition }
  const client = createTableClient({
    baseUrl: 'https://tables.test',
    token: () => 'token',
    fetch: async () => new Response('id\n1\n', { headers }),
  })
  const { blob, fileName } = await client.download({ url: 'https://files.test/a' })
  expect([fileName, await blob.text()]).toEqual([expected, 'id\n1\n'])
})
