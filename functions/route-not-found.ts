import { routeNotFound } from '#lib'

/** `$default`: whatever no other route matches. */
export const handler = routeNotFound()
