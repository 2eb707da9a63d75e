import { useEffect, useRef } from 'react'
import { useWords } from '../texts/language.tsx'
import { say, sayLater } from './messages.ts'
import { createStore, type Store, useStore } from './store.ts'

interface PartState<Module> {
  readonly module?: Module
  readonly failure?: PartFailure
}

type PartFailure = 'unreachable' | 'outdated'

/** Code of the page that is loaded when it is first needed. */
export interface Part<Module> {
  readonly state: Store<PartState<Module>>
  /** Loads the part unless it is there or on its way; after a failure it tries again. Never throws. */
  readonly load: () => void
}

const loads = new Set<() => void>()

/** Tries again to load the parts that could not be loaded. */
export const loadFailedParts = (): void => {
  for (const load of loads) load()
}

export function createPart<Module>(importModule: () => Promise<Module>): Part<Module> {
  const state = createStore<PartState<Module>>({})
  let isLoading = false
  const load = () => void loadOnce()
  const loadOnce = async () => {
    if (isLoading || state.get().module !== undefined) return
    isLoading = true
    loads.add(load)
    if (state.get().failure !== undefined) state.set({})
    try {
      // Browsers keep a failed import until the page is loaded anew: offline, none is begun.
      const isTried = navigator.onLine || (await isReachable())
      state.set(isTried ? { module: await importModule() } : { failure: 'unreachable' })
    } catch {
      // A page that still comes without its part is another version, or the browser has kept the failure.
      state.set({ failure: (await isReachable()) ? 'outdated' : 'unreachable' })
    } finally {
      isLoading = false
    }
  }
  return { state, load }
}

async function isReachable(): Promise<boolean> {
  const response = await fetch(location.pathname, { cache: 'no-cache' }).catch(() => undefined)
  return response?.ok === true
}

/** The store of a component that has not wanted its part yet: it is not drawn again when the part comes for others. */
const unwanted = createStore({})

/**
 * Returns a part from the moment that it is first `wanted` (any truthy value; another one asks again) and loaded. A
 * message says that it takes long, or that it failed and what to do.
 */
export function usePart<Module>(part: Part<Module>, wanted: unknown): Module | undefined {
  const { t } = useWords()
  const wasWanted = useRef(false)
  const isWanted = Boolean(wanted)
  wasWanted.current ||= isWanted
  const { module, failure } = useStore<PartState<Module>>(wasWanted.current ? part.state : unwanted)
  useEffect(() => {
    if (wanted) part.load()
  }, [part, wanted])
  useEffect(() => {
    if (!isWanted || module !== undefined) return
    if (failure === undefined) return sayLater('info', t.loading)
    return failure === 'outdated'
      ? say('danger', t.partOutdated, { label: t.reloadPage, run: () => location.reload() })
      : say('danger', t.unreachable, { label: t.retry, run: loadFailedParts })
  }, [isWanted, module, failure, t])
  return module
}
