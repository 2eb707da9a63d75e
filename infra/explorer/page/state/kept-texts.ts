/** Texts that the browser keeps by their keys. */
interface KeptTexts {
  readonly read: (key: string) => string | undefined
  /** Returns what is kept as JSON. It may be of another version of the page, or of another page. */
  readonly readJson: (key: string) => unknown
  readonly write: (key: string, text: string) => void
  readonly remove: (key: string) => void
}

/** Never throws: what a storage that is closed or full does not take is kept for as long as the page is open. */
function createKeptTexts(find: () => Storage): KeptTexts {
  const own = new Map<string, string>()
  const attempt = <Value>(use: (storage: Storage) => Value): Value | undefined => {
    try {
      return use(find())
    } catch {
      return undefined
    }
  }
  const read = (key: string) => own.get(key) ?? attempt((storage) => storage.getItem(key)) ?? undefined
  const remove = (key: string) => {
    own.delete(key)
    attempt((storage) => storage.removeItem(key))
  }
  return {
    read,
    readJson: (key) => attempt(() => JSON.parse(read(key) ?? '')),
    write: (key, text) => {
      // The text before must not come back where this one is not kept.
      remove(key)
      own.set(key, text)
      if (attempt((storage) => storage.setItem(key, text) ?? true)) own.delete(key)
    },
    remove,
  }
}

/** Keeps what all tabs of this browser share. */
export const browserTexts = createKeptTexts(() => localStorage)
/** Keeps what belongs to this tab, until it is closed. */
export const tabTexts = createKeptTexts(() => sessionStorage)
