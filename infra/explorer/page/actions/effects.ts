import { useLayoutEffect } from 'react'
import { clientIn } from '../service/client.ts'
import type { Id, Item, JsonSchema, Outcome, Structure } from '../service/wire.ts'
import { isGrouped, queryRows, selectRows, shapeItems } from '../state/asked-rows.ts'
import { type Selection, withTicked } from '../state/selection.ts'
import type { PlacedRows, useRows } from '../state/use-table.ts'
import type { View } from '../state/view.ts'
import type { Words } from '../texts/language.tsx'
import type { Plan } from './plan.ts'

interface OpenPage {
  readonly view: View
  readonly structure: Structure
  readonly rows: ReturnType<typeof useRows>
  readonly selection: Selection
  readonly setSelection: (selection: Selection) => void
}

let open: OpenPage | undefined

/** Remembers the page that is on the screen: a change may be answered, or undone, long after its button was drawn. */
export function EffectsPage(page: OpenPage): null {
  useLayoutEffect(() => {
    open = page
    return () => {
      open = undefined
    }
  })
  return null
}

/**
 * Returns the keys that ask for the effects of a change on the open page; `undefined` for an action whose form may have
 * them as its own.
 */
export function askEffects(form?: JsonSchema): Plan['page'] {
  if (open === undefined) return undefined
  const { view, structure } = open
  const include = ['effects', ...(view.search === '' ? [] : ['matches'])]
  const page = { ...selectRows(view), ...shapeItems(view, structure.columns), include }
  return mayTake(form, Object.keys(page)) ? undefined : page
}

/** Whether an action may take keys of the service as fields of its form. */
export function mayTake(form: JsonSchema | undefined, keys: readonly string[]): boolean {
  const { properties = {}, additionalProperties } = form ?? {}
  const fields = Object.keys(properties)
  const isOpen = form !== undefined && (fields.length === 0 || Boolean(additionalProperties))
  return isOpen || fields.some((field) => keys.includes(field))
}

/** The page that was open when a change was asked for. */
export interface ChangedPage {
  readonly place: string
  readonly words: Words
}

/** Shows what a change has made of the rows on the screen. Returns false if the response does not tell. */
export function showEffects({ effects }: Outcome, plan: Plan, { place, words }: ChangedPage): boolean {
  if (effects === undefined || open === undefined) return false
  const { rows, removed, refetch } = effects
  if (refetch.length === 0) return true
  const { view, rows: shown, selection, setSelection } = open
  // A row that is gone is neither ticked nor left out of all: the service would count otherwise.
  setSelection(withTicked(selection, removed, selection.all))
  const isSamePage = shown.place === place && view.language === words.language && !shown.isLoading && !isGrouped(view)
  const here = new Set(shown.response?.items.map(({ id }) => id))
  // Rows that leave other pages, or come into this one, move those between.
  const isMoved =
    removed.some((id) => !here.has(id)) || (plan.canAddRows === true && rows.some(({ id }) => !here.has(id)))
  if (!isSamePage || isMoved || refetch.includes('rows') || removed.length === here.size) shown.reload()
  else {
    const draw = () => shown.put((now) => (now.place === place ? changeRows(now, rows, new Set(removed)) : now))
    if (removed.length > 0) whenFocusIsBack(draw)
    else draw()
    if (refetch.includes('bindings')) void readBindings(open)
  }
  return true
}

/**
 * A dialog or popup that closes gives the focus back to its row: from there it goes to the next one when the row
 * leaves.
 */
function whenFocusIsBack(draw: () => void): void {
  if (document.activeElement?.closest('.modal,.popup')) setTimeout(() => whenFocusIsBack(draw), 50)
  else draw()
}

function changeRows(now: PlacedRows, rows: readonly Item[], removed: ReadonlySet<Id>): PlacedRows {
  const changed = new Map(rows.map((item) => [item.id, item]))
  const items = now.items.flatMap((item) => (removed.has(item.id) ? [] : [changed.get(item.id) ?? item]))
  const gone = now.items.length - items.length
  if (gone === 0) return { ...now, items }
  const count = (shown: PlacedRows['pagination']) => ({
    ...shown,
    total: shown.total - gone,
    to: (shown.to ?? gone) - gone,
    last_page: Math.max(1, Math.ceil((shown.total - gone) / shown.per_page)),
  })
  return { ...now, items, pagination: count(now.pagination), ...(now.live && { live: count(now.live) }) }
}

/** Asks again for the options of filters, without the rows. A failure leaves them as they are. */
async function readBindings({ view, rows: { response, put } }: OpenPage): Promise<void> {
  if (Object.keys(response?.bindings ?? {}).length === 0) return
  const query: object = { ...queryRows(view), perPage: 1, count: 'none' }
  const read = await clientIn(view.language)
    .queryTable(view.table ?? '', query)
    .catch(() => undefined)
  if (read) put((now) => (now.place === response?.place ? { ...now, bindings: read.bindings } : now))
}
