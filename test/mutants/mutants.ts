import { actionsMutants } from './areas/actions-mutants.ts'
import { authMutants } from './areas/auth-mutants.ts'
import { clientMutants } from './areas/client-mutants.ts'
import { dbMutants } from './areas/db-mutants.ts'
import { effectsMutants } from './areas/effects-mutants.ts'
import { httpMutants } from './areas/http-mutants.ts'
import { jobsMutants } from './areas/jobs-mutants.ts'
import { permissionsMutants } from './areas/permissions-mutants.ts'
import { pushMutants } from './areas/push-mutants.ts'
import { queryMutants } from './areas/query-mutants.ts'
import { reportsMutants } from './areas/reports-mutants.ts'
import { rowsMutants } from './areas/rows-mutants.ts'
import { stackMutants } from './areas/stack-mutants.ts'

/** Deliberate mistakes in the areas where one costs most, each of which the tests of its area must notice. */
export const mutants = [
  ...queryMutants,
  ...dbMutants,
  ...authMutants,
  ...actionsMutants,
  ...effectsMutants,
  ...jobsMutants,
  ...httpMutants,
  ...reportsMutants,
  ...clientMutants,
  ...pushMutants,
  ...rowsMutants,
  ...permissionsMutants,
  ...stackMutants,
]
