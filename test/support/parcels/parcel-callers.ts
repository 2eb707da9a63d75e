import fc from 'fast-check'
import type { TestIdentity } from '../requests/identity-provider.ts'
import type { Parcel } from './parcel-rows.ts'

/** A caller, and what they may see according to the table's rules, told independently of the service. */
export interface Caller {
  readonly identity: TestIdentity
  readonly sees: (parcel: Parcel) => boolean
}

/** Sees these states' parcels of one tenant. */
export const analyst = (sub: string, tenant: string, ...states: readonly string[]): Caller => ({
  identity: { sub, tenant, states },
  sees: (parcel) => parcel.tenant === tenant && parcel.state !== null && states.includes(parcel.state),
})

/** Everybody who differs in what they see of `scoped_parcels`. */
export const callers = {
  'an analyst of one state': analyst('one', 'north', 'Texas'),
  'an analyst of two states': analyst('two', 'north', 'Texas', 'Ohio'),
  'an analyst of no state': analyst('none', 'north'),
  'an analyst of a state that nothing is in': analyst('nowhere', 'north', "Texas' or true --"),
  'an analyst of another tenant': analyst('other', 'south', 'Texas', 'Ohio'),
  'a supervisor': {
    identity: { sub: 'boss', tenant: 'north', role: 'supervisor' },
    sees: ({ tenant }) => tenant === 'north',
  },
  'a supervisor of another tenant': {
    identity: { sub: 'boss2', tenant: 'south', role: 'supervisor' },
    sees: ({ tenant }) => tenant === 'south',
  },
} as const satisfies Readonly<Record<string, Caller>>

export const everyCaller: readonly Caller[] = Object.values(callers)

/** Makes one of these callers. */
export const anyCaller = fc.constantFrom(...everyCaller)
