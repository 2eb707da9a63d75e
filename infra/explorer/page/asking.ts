// The part `asking`: conditions in groups, totals, grouping, saved views, explanations and the marks of a search. It
// takes fields and dialogs from the other parts as properties: code that two parts import becomes a file of its own.

export { WhyNone } from './explain/why-none.tsx'
export { GroupByList } from './grouping/group-by-list.tsx'
export { GroupsView } from './grouping/groups-view.tsx'
export { OpenGroupNote } from './grouping/open-group-note.tsx'
export { describeGroups } from './groups/describe-groups.ts'
export { GroupBuilder } from './groups/group-builder.tsx'
export { createMarker } from './marks/create-marker.tsx'
export { TotalsList } from './totals/totals-list.tsx'
export { TotalsRow } from './totals/totals-row.tsx'
export { FirstView } from './views/first-view.tsx'
export { ViewsList } from './views/views-list.tsx'
