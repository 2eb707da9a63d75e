// The part `menus`: all that unfolds beside a button, with what places it there.
export { BulkList } from './actions/bulk-list.tsx'
export { RowMenu } from './actions/row-menu.tsx'
export { FilterEditor } from './filters/filter-editor.tsx'
export { ColumnList } from './table/column-list.tsx'
export { SortList } from './table/sort-list.tsx'
export { TableList } from './table-list.tsx'
export { TrayPanel } from './tray/tray-panel.tsx'
export { PopupFrame } from './ui/popup-frame.tsx'
