import { useSyncExternalStore } from 'react'

/** A value of the whole page that components follow. */
export interface Store<Value> {
  readonly get: () => Value
  readonly set: (next: Value) => void
  readonly subscribe: (follow: () => void) => () => void
}

export function createStore<Value>(first: Value): Store<Value> {
  let value = first
  const followers = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      value = next
      for (const follow of followers) follow()
    },
    subscribe: (follow) => {
      followers.add(follow)
      return () => followers.delete(follow)
    },
  }
}

export const useStore = <Value>({ subscribe, get }: Store<Value>): Value => useSyncExternalStore(subscribe, get)
