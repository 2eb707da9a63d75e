import * as z from 'zod'
import { tableDefiner } from '../../lib/index.ts'
import type { TestIdentity } from './tokens.ts'

/** What the fixture's tokens say of a caller. */
export const fixtureClaims = z.object({ tenant: z.string().default(''), role: z.string().optional() })

export const defineFixture = tableDefiner<z.output<typeof fixtureClaims>>()

/** Who the tests call as. Products belong to tenants; managers see what others may not even know of. */
export const north: TestIdentity = { sub: 'nora', tenant: 'north' }
export const colleague: TestIdentity = { sub: 'noel', tenant: 'north' }
export const south: TestIdentity = { sub: 'sami', tenant: 'south' }
export const manager: TestIdentity = { sub: 'mona', tenant: 'north', role: 'manager' }
