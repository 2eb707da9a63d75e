import * as z from 'zod/mini'
import { tableDefiner } from '#lib'

const split = z.transform((text: string) => text.split(',').map((part) => part.trim()))

/** A list of texts, also as one text with commas. */
const list = z.union([z.array(z.string()), z.pipe(z.string(), split)])

/** The claims that this installation reads from a token, beside its subject. */
export const claims = z.object({
  role: z.optional(z.string()),
  /** The states whose reports an analyst works on. */
  states: z._default(list, []),
})

/** Declares a table whose functions see these claims. */
export const defineTable = tableDefiner<z.output<typeof claims>>()
