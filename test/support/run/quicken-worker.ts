import { registerHooks, setSourceMapsSupport } from 'node:module'
import { chai } from 'vitest'
import { resolveQuickly } from './quick-imports.mjs'

// Vitest's own hook comes before the first one, and sends a message about each import to the main process.
registerHooks({ resolve: resolveQuickly })
// Node keeps the positions when it removes types: without maps, a module is not searched for one, and an error is made
// in less time.
setSourceMapsSupport(false)
// A proxy around each assertion only finds misspelt properties, as the types do: half of what an `expect` costs.
chai.config.useProxy = false
