import type { TableEntry } from './wire.ts'

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

/** What the document tells of the service that it came from. */
export const deployment = {
  /** In front of every endpoint's path. */
  base: meta('explorer-base'),
  /** Where the local stack gives tokens away; empty in a cloud. */
  demoUsersUrl: meta('explorer-demo-users'),
}

/** A table as the list of tables names it, before that is there. */
export function entryOf(tableName: string): TableEntry {
  const url = `${deployment.base}/load-table/${encodeURIComponent(tableName)}`
  return { tableName, label: '', load_url: { api: url, web: url } }
}

/** Of the two URLs of an action the one of this page's guard, on the very host that the page came from. */
export function ownPath({ api, web }: { readonly api: string; readonly web?: string }): string {
  return pathOf(deployment.base.startsWith('/api/') ? api : (web ?? api))
}

/** The service may know itself under another name than the browser does; its paths are the same. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url, location.href)
  return pathname + search
}
