import * as z from 'zod/mini'
import { item, severalRows } from './table-answers.ts'
import { authored, olderLink, responseOnSuccess, urls } from './wire-values.ts'

/** Keys that every response of a row action may have; an author's own code may add others. */
const common = {
  success: z.literal(true),
  message: z.string(),
  redirect_routes: z.optional(urls),
  copy_value: z.optional(z.string()),
}

const detail = z.looseObject({
  label: z.string(),
  value: z.unknown(),
  type: z.optional(z.string()),
  value_type: z.optional(z.string()),
})

/** The first response of an action whose entry says `OpenModalForm`; its `onSuccess` is for after the second request. */
const openedForm = z.looseObject({
  ...common,
  onSuccess: responseOnSuccess,
  payload: z.looseObject({ schema: authored, values: authored }),
  method: z.literal('post'),
  url: z.string(),
})

/** The response of an action that ran on one row. What a client does next depends on its `onSuccess`. */
const changedRow = z.discriminatedUnion('onSuccess', [
  z.looseObject({ ...common, onSuccess: z.literal('refetchRow'), data: z.looseObject({ row: item }) }),
  z.looseObject({ ...common, onSuccess: z.literal('refetchData'), items: z.array(item) }),
  z.looseObject({ ...common, onSuccess: z.literal('DisplayOnModal'), data: z.record(z.string(), detail) }),
  z.looseObject({
    ...common,
    onSuccess: z.literal('downloadData'),
    data: z.looseObject({ url: z.string(), filename: z.optional(z.string()), ...olderLink }),
  }),
  z.looseObject({ ...common, onSuccess: z.enum(['deleteRow', 'reload', 'no_action']) }),
])

/** The response of an action on one row: its outcome, the form of an action in two steps, or the outcome of several rows. */
export const rowActionAnswer = z.union([openedForm, changedRow, severalRows])
