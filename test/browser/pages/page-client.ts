import { createChangeClient } from '../../../lib/client/changes.ts'
import { createTableClient } from '../../../lib/client/index.ts'
import { createLiveClient } from '../../../lib/client/live.ts'
import type { registry } from '../../../tables/index.ts'

const given = new URLSearchParams(location.search)

/** The service that the page's address names. */
export const baseUrl = given.get('base') ?? ''

const options = { baseUrl, guard: 'web', token: () => given.get('token') ?? '' }

/** The client as a page of the same repository creates it. */
export const client = createTableClient<typeof registry>(options)

/** The client of changes, likewise. */
export const changes = createChangeClient<typeof registry>(options)

/** The live client, likewise. */
export const live = createLiveClient<typeof registry>(options)

export const element = (id: string): HTMLElement => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`there is no #${id}`)
  return found
}

/** Shows an error as a page for people would. */
export const showError = (error: unknown): void => {
  const { code, message } = error as { code?: string; message?: string }
  element('error').textContent = `${code}: ${message}`
}
