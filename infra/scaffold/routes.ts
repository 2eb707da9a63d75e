import { routePurposes } from '../../lib/route-purposes.ts'
import { fallbackFunctionName, mountRoutes, triggers } from '../../lib/routes.ts'
import { runCommand } from '../run-command.ts'

const usage = `Usage: npm run --silent routes [-- --guards api,web] [--json]
  --guards  the guards, as GUARDS has them; default: those of GUARDS, else api and web
  --json    for machines`

interface Line {
  /** An HTTP method, or what else calls the function. */
  readonly method: string
  readonly path: string
  readonly guard: string
  readonly function: string
  readonly purpose: string
}

const options = {
  guards: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

function printRoutes(values: { readonly guards?: string | undefined; readonly json: boolean }): number {
  const guards = (values.guards ?? (process.env['GUARDS'] || 'api,web')).split(',').map((guard) => guard.trim())
  const wrong = guards.find((guard) => !/^[a-z][a-z0-9-]*$/.test(guard))
  if (wrong !== undefined) throw new Error(`A guard is a word such as api or web, not "${wrong}"`)
  const lines = [...listRoutes(guards), ...listTriggers()]
  console.log(values.json ? JSON.stringify(lines, null, 2) : alignLines(lines))
  return 0
}

const listRoutes = (guards: readonly string[]): readonly Line[] =>
  mountRoutes(guards).map(({ route, guard = '-', routeKey }) => {
    const [method = '', path = ''] = routeKey.split(' ')
    return { method, path, guard, function: route.functionName, purpose: routePurposes[route.name] }
  })

const socketPurposes: Readonly<Record<keyof typeof triggers.sockets, string>> = {
  $connect: 'Opens a WebSocket for a token or a ticket',
  $disconnect: 'Forgets a WebSocket',
  ping: 'Keeps a WebSocket from being idle',
  $default: 'Counts the rows of a query, watches those of a page and ends a watch',
}

function listTriggers(): readonly Line[] {
  const createLine = (method: string, path: string, name: string, purpose: string) => ({
    method,
    path,
    guard: '-',
    function: name,
    purpose,
  })
  const sockets = Object.entries(triggers.sockets).map(([route, name]) =>
    createLine('WebSocket', route, name, socketPurposes[route as keyof typeof socketPurposes]),
  )
  return [
    createLine('$default', '', fallbackFunctionName, 'Answers what no route matches: 404 and 405 in the envelope'),
    ...sockets,
    createLine('queue', 'jobs', triggers.queue, 'Works on jobs'),
    createLine(
      'schedule',
      'everyMinute',
      triggers.schedule.everyMinute,
      'Finds lost jobs, and clears away what has expired',
    ),
    createLine(
      'deployment',
      'before all others',
      triggers.deployment,
      'Applies migrations, and lets the role of the functions in',
    ),
  ]
}

function alignLines(lines: readonly Line[]): string {
  const keys = ['method', 'path', 'guard', 'function', 'purpose'] as const
  const width = (key: (typeof keys)[number]) => Math.max(key.length, ...lines.map((line) => line[key].length))
  // `keys` are those of a line.
  const header = Object.fromEntries(keys.map((key) => [key, key.toUpperCase()])) as unknown as Line
  return [header, ...lines]
    .map((line) =>
      keys
        .map((key) => line[key].padEnd(width(key)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

await runCommand(usage, { options }, ({ values }) => printRoutes(values))
