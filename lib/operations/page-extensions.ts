/**
 * The code that few requests need, in one file that is loaded on demand. Each further such file would split off what it
 * shares with the code of every request, which costs a cold start up to 3 KB.
 */
export { nameFailedColumn } from '../query/failed-column.ts'
export { boundPage } from '../query/page-budget.ts'
export { nameStaleToken } from '../query/stale-token.ts'
export { extendStructure } from './extend-structure.ts'
export { readItemShape } from './item-shape.ts'
export { offerActionUndo } from './offer-undo.ts'
export { planPageParts } from './page-parts.ts'
export { echoRequest, readPageAndTotal, readTotalOptions } from './page-totals.ts'
export { planEffects } from './plan-effects.ts'
export { runUnderPresentNames } from './present-names.ts'
export { searchOptions } from './search-options.ts'
export { createUpdateAction } from './update-cells.ts'
export { applyView, listUsableViews } from './use-saved-views.ts'
