import type { StackFacts } from './stack-facts.ts'

/**
 * Returns the text to print when the stack is ready: requests that work as they are in a shell of the project's folder.
 */
export function tryNext({ base_url, explorer_url, mailbox_url, websocket_url }: StackFacts): string {
  const prefix = process.env['LOCAL_DIRECTORY'] ? `LOCAL_DIRECTORY='${process.env['LOCAL_DIRECTORY']}' ` : ''
  const token = (claims: string) => `$(${prefix}npm run --silent token -- --sub alice${claims})`
  const call = (claims: string) => `curl -s -H "authorization: Bearer ${token(claims)}"`
  const api = `${base_url}/api/api-table/control-tables`
  const query = `-H 'content-type: application/json' -d`
  return `
Table Control is ready at ${base_url}. Ctrl-C stops all of it.${explorer_url === undefined ? '' : `\nLook at its tables at ${explorer_url}.`}
Mails arrive in the mailbox at ${mailbox_url}, WebSockets open at ${websocket_url}.

The structure of a table with its first rows, as an analyst of two states sees it:
  ${call(' --claim states=Texas,Ohio')} ${api}/load-table/bird_strikes/true

Its open reports, the most expensive first, as a supervisor:
  ${call(' --claim role=supervisor')} ${query} '{"filters":[{"field":"status","operator":"=","value":"open"}],"sorts":[{"field":"cost_total","direction":"desc"}],"perPage":5}' ${api}/query-table/bird_strikes

The most delayed flights out of Texas:
  ${call('')} ${query} '{"filters":[{"field":"origin__state","operator":"=","value":"TX"}],"sorts":[{"field":"delay","direction":"desc"}],"perPage":5}' ${api}/query-table/flights

The reports from Texas as a spreadsheet, in the mailbox a few seconds later:
  ${call(' --claim states=Texas,Ohio --claim email=alice@example.com')} ${query} '{"filters":[{"field":"origin_state","operator":"=","value":"Texas"}]}' ${api}/bulk-table-action/bird_strikes/email_report
`
}
