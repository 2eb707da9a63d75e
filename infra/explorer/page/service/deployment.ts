import type { ListedTable } from './wire.ts'

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

/** The facts of the service that its page carries. */
export const deployment = {
  /** In front of every endpoint's path. */
  base: meta('explorer-base'),
  /** The URL of the local demo users and their tokens; empty in a deployment. */
  demoUsersUrl: meta('explorer-demo-users'),
}

/** A table as the list of tables names it, before that is there. */
export function createEntry(tableName: string): ListedTable {
  const url = `${deployment.base}/load-table/${encodeURIComponent(tableName)}`
  return { tableName, label: '', load_url: { api: url, web: url } }
}

/** Returns the URL of an action for the guard of this page, on the host that served the page. */
export function ownPath({ api, web }: { readonly api: string; readonly web?: string }): string {
  return urlPath(deployment.base.startsWith('/api/') ? api : (web ?? api))
}

/** The service may know itself under another name than the browser does; its paths are the same. */
export function urlPath(url: string): string {
  const { pathname, search } = new URL(url, location.href)
  return pathname + search
}
