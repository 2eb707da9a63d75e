// Loaded before anything else by each process of a run, also by those of npm, whose Node may be an older one.
import nodeModule from 'node:module'

/**
 * Resolves the imports between the files of drizzle-orm. For each of these 400 imports, Node itself parses 180 KB of package.json:
 * half a second of a busy processor, in every process that loads the service.
 */
nodeModule.registerHooks?.({
  resolve: (specifier, context, resolveNext) => {
    const { parentURL } = context
    const isInside = specifier.startsWith('.') && parentURL?.includes('/node_modules/drizzle-orm/')
    if (!isInside || !parentURL.endsWith('.js')) return resolveNext(specifier, context)
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  },
})
