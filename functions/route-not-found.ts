import { routeNotFound } from '#lib'

/** `$default`: requests that match no other route. */
export const handler = routeNotFound()
