import { createRegistry, everyRow } from '../../lib/index.ts'
import { defineFixture, fixtureClaims } from './fixture-identity.ts'
import { countries } from './fixture-schema.ts'

const secret = 'hunter2 of nora@example.test'

const circular: Record<string, unknown> = {}
circular['itself'] = circular

const having = (property: string, value: unknown) => () => {
  throw Object.defineProperty(new Error(secret), property, { value, enumerable: true })
}

const throwingOn = (property: string) => () => {
  throw Object.defineProperty(new Error('x'), property, {
    get: () => {
      throw new Error(secret)
    },
  })
}

const changed = (message: string, later: string) => () => {
  throw Object.assign(new Error(message), { message: later })
}

/** Values that an author's code may throw and that a log cannot or must not print. The secret is `hunter2`, by nora. */
export const hostileErrors: readonly (readonly [what: string, thrower: () => unknown])[] = [
  ['a bigint as its code', having('code', 1n)],
  ['a circle as its code', having('code', circular)],
  ['an object as its code', having('code', { email: secret })],
  ['a text as its code', having('code', secret)],
  ['a code that cannot be turned into JSON', having('code', { toJSON: throwingOn('x') })],
  ['a symbol as its name', having('name', Symbol(secret))],
  ['a text as its name', having('name', secret)],
  ['a bigint as its cause', having('cause', 1n)],
  ...['code', 'name', 'message', 'stack', 'cause'].map((key) => [`a ${key} that throws`, throwingOn(key)] as const),
  ['a message that looks like a stack', changed(`x\n    at ${secret} (/x:1:1)`, `x\n    at ${secret} (/x:1:1)`)],
  ['a message of before that looks like a stack', changed(`x\n    at ${secret}`, 'y')],
  ['a header that is refused', () => new Headers({ authorization: 'Bearer hunter2\nx' })],
  ['a search in a text', () => 'a' in (secret as unknown as object)],
  ['an address that is none', () => fetch('/lookup?email=nora@example.test')],
  ['a property of a text', () => Object.assign('hunter2', { 0: 'x' })],
  ['a key of undefined', () => Reflect.get({}, 'row')[secret]],
  ['a text that is no function', () => [1].map('hunter2' as never)],
  ['a text that is no constructor', () => Reflect.construct('hunter2' as never, [])],
  ['an entry that is none', () => new Map(['hunter2'] as never)],
]

/** A table of which each request fails with one of these, or with none is answered. */
export function failingRegistry(thrower: () => (() => unknown) | undefined) {
  const table = defineFixture({
    ...{ name: 'failing', from: countries, key: 'code', columns: {}, scope: everyRow },
    middlewares: [
      async () => {
        await thrower()?.()
      },
    ],
  })
  return createRegistry([table], { claims: fixtureClaims })
}
