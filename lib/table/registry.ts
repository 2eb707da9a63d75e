import * as z from 'zod/mini'
import { authenticate, type CallerRules } from '../auth/authenticate-caller.ts'
import type { Identity } from '../auth/identity.ts'
import type { DefaultMiddleware } from '../auth/middleware.ts'
import type { TableShape } from '../wire/table-shape.ts'
import { compileTable } from './compile-table.ts'
import type { CompiledTable } from './compiled-table.ts'
import type { Table } from './definition.ts'

/** A table of whatever claims. */
type AnyTable = Table<never>

type ShapeIn<T> = T extends Table<never, infer Shape> ? Shape : TableShape

/** The tables of an installation and the checks that every request to them passes first. */
export interface Registry<Shape extends TableShape = TableShape> extends CallerRules {
  /** Never present at run time: one shape for each table, told apart by its name. */
  readonly shape?: Shape
  readonly tables: ReadonlyMap<string, CompiledTable>
}

type IdentityNow<Claims> = Identity<Claims> | undefined | Promise<Identity<Claims> | undefined>

interface RegistryOptions<Claims> {
  /** The claims that table files rely on. A token whose claims do not fit is refused (401). */
  readonly claims?: z.core.$ZodType<Claims>
  /** Run before every table's own. Left out: the token check alone. One of them must establish the identity. */
  readonly middlewares?: readonly DefaultMiddleware[]
  /**
   * How somebody who asked for a job earlier is known at the moment when it runs: the claims may have changed, and `undefined`
   * withdraws the right to it, so that the job fails as `forbidden`. Left out: as at the request, after its claims went through JSON.
   */
  readonly identityNow?: (identity: Identity<Claims>) => IdentityNow<Claims>
}

/** Checks and compiles every table; throws where one is wrong or two share a name. */
export function createRegistry<Claims extends Record<string, unknown>, T extends readonly AnyTable[]>(
  tables: T & readonly Table<Claims>[],
  { claims, middlewares = [authenticate], identityNow }: RegistryOptions<Claims> = {},
): Registry<ShapeIn<T[number]>> {
  const compiled = new Map<string, CompiledTable>()
  for (const { definition } of tables) {
    if (compiled.has(definition.name)) throw new Error(`Two tables are named "${definition.name}"`)
    compiled.set(definition.name, compileTable(definition))
  }
  return {
    tables: compiled,
    claims: claims ?? z.record(z.string(), z.unknown()),
    middlewares,
    // Stored claims are an earlier output of `claims`.
    identityNow: (identityNow as Registry['identityNow'] | undefined) ?? ((identity) => identity),
  }
}
