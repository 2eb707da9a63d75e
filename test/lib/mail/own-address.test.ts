import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { loadConfig } from '../../../lib/config.ts'
import { callerEndpoint, createRegistry, createService } from '../../../lib/index.ts'
import { createApi } from '../../support/requests/api.ts'
import { startIdentityProvider } from '../../support/requests/identity-provider.ts'

const provider = await startIdentityProvider()
const service = createService(
  loadConfig({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    SERVICE_SECRET: 'a secret of more than thirty-two characters',
    ...provider.environment,
  }),
)
afterAll(() => Promise.all([service.database.close(), provider.stop()]))

// The caller's address is known even if the registry's claims do not contain it.
const registry = createRegistry([], { claims: z.object({ tenant: z.string().optional() }) })
const jobStatus = callerEndpoint(
  registry,
  { name: 'jobStatus', run: async ({ identity }) => ({ email: identity.email ?? null }) },
  () => service,
)
const api = createApi({ jobStatus }, { tokenFor: provider.tokenFor, describing: false })

describe("the caller's own address", () => {
  it.each([
    [{ email: 'nora@example.com', email_verified: true }, 'nora@example.com'],
    [{ email: 'nora@example.com', email_verified: 'true' }, 'nora@example.com'],
    [{ email: 'nora@example.com', email_verified: false }, null],
    [{ email: 'nora@example.com', email_verified: 'false' }, null],
    [{ email: 'nora@example.com', email_verified: 1 }, null],
    [{ email: 'nora@example.com' }, null],
    [{ email: ['nora@example.com'], email_verified: true }, null],
    [{ email_verified: true }, null],
  ])('is read from a token: %j is %j', async (claims, email) => {
    expect((await api.get('jobs/x', { as: { sub: 'nora', ...claims } })).json).toEqual({ success: true, email })
  })
})
