import { changeView, listSavedViews, removeView, saveView, tableEndpoints } from '#lib'
import { registry } from '#tables'

/** GET and POST views/{tableName}, PATCH and DELETE views/{tableName}/{id}: the saved views of a table. */
export const handler = tableEndpoints(registry, [
  { name: 'listViews', run: listSavedViews },
  { name: 'saveView', run: saveView },
  { name: 'changeView', run: changeView },
  { name: 'removeView', run: removeView },
])
