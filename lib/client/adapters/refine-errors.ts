import { listFaults } from '../change-outcomes.ts'
import { TableError } from '../table-error.ts'

/** Adds the properties that refine reads from errors: `statusCode`, and `errors` for the fields of a form. */
export async function withHttpErrors<A>(response: Promise<A>): Promise<A> {
  try {
    return await response
  } catch (error) {
    if (!(error instanceof TableError)) throw error
    throw Object.assign(error, { statusCode: error.status, errors: Object.fromEntries(listFaults(error)) })
  }
}
