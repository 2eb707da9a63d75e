import * as z from 'zod'
import { tableDefiner } from '../../lib/index.ts'
import type { TestIdentity } from './tokens.ts'

/** The claims of the fixture's tokens. */
export const fixtureClaims = z.object({ tenant: z.string().default(''), role: z.string().optional() })

export const defineFixture = tableDefiner<z.output<typeof fixtureClaims>>()

/** The callers of the tests. Products belong to tenants; managers see columns that others must not know of. */
export const north: TestIdentity = { sub: 'nora', tenant: 'north' }
export const colleague: TestIdentity = { sub: 'noel', tenant: 'north' }
export const south: TestIdentity = { sub: 'sami', tenant: 'south' }
export const manager: TestIdentity = { sub: 'mona', tenant: 'north', role: 'manager' }
