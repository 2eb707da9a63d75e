import { openApiEndpoint } from '#lib'
import { registry } from '#tables'

/** GET openapi.json: the OpenAPI document of what the caller may know. */
export const handler = openApiEndpoint(registry)
