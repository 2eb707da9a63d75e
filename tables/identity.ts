import * as z from 'zod'
import { tableDefiner } from '#lib'

const list = z.union([z.array(z.string()), z.string().transform((text) => text.split(',').map((part) => part.trim()))])

/** What this installation's tokens say of a caller beside who it is. */
export const claims = z.object({
  role: z.string().optional(),
  /** The states whose reports an analyst works on. */
  states: list.default([]),
})

/** Declares a table whose functions see these claims. */
export const defineTable = tableDefiner<z.output<typeof claims>>()
