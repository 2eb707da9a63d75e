import type { Transaction } from '../db/transaction.ts'
import { type RowFailure, toRowFailure } from './row-outcome.ts'

/** drizzle inside a transaction. */
export type Session = Transaction['drizzle']

/** Either what the work answered or why it was refused. */
type Attempt<T> = { readonly answer: T } | { readonly failure: RowFailure }

/** Runs work that may be refused: a refusal undoes what the work did and leaves the transaction as it was before. */
export async function attempt<T>({ drizzle }: Transaction, work: (db: Session) => Promise<T>): Promise<Attempt<T>> {
  try {
    return { answer: await drizzle.transaction(work) }
  } catch (error) {
    return { failure: toRowFailure(error) }
  }
}
