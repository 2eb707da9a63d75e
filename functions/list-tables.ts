import { tableListEndpoint } from '#lib'
import { registry } from '#tables'

/** GET (nothing behind the guard's prefix): the tables that the caller may load. */
export const handler = tableListEndpoint(registry)
