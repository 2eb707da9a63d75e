import { expect } from 'vitest'
import type { Api } from '../requests/api.ts'

/** Opens a download link as a browser without credentials does. */
export async function openedFile({ request }: Pick<Api, 'request'>, url: string): Promise<Response> {
  const { status, headers } = await request({ method: 'GET', path: new URL(url).pathname }, { as: null })
  expect(status).toBe(302)
  return fetch(headers['location'] ?? '')
}

export const readBytes = async (file: Response): Promise<Buffer> => Buffer.from(await file.arrayBuffer())
