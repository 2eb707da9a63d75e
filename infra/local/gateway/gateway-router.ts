/**
 * A route of the gateway: a method and a path such as `/load-table/{tableName}`, or `/files/{proxy+}` for all below it.
 */
export interface CompiledRoute<Target> {
  readonly routeKey: string
  readonly target: Target
  readonly parameters: readonly string[]
}

export interface RouteMatch<Target> {
  readonly route: CompiledRoute<Target>
  /** In the order of `route.parameters`. */
  readonly values: readonly string[]
}

export type Router<Target> = (method: string, path: string) => RouteMatch<Target> | undefined

interface Node<Target> {
  readonly literals: Map<string, Node<Target>>
  parameter: Node<Target> | undefined
  readonly methods: Map<string, CompiledRoute<Target>>
  /** Routes that take this segment and all that follow. */
  readonly greedy: Map<string, CompiledRoute<Target>>
}

const emptyNode = <Target>(): Node<Target> => ({
  literals: new Map(),
  parameter: undefined,
  methods: new Map(),
  greedy: new Map(),
})

/**
 * Compiles route keys such as `GET /a/{id}` (or `ANY`) into a tree by segment. The most specific match wins, as in API
 * Gateway: a full match before a greedy one, a literal segment before a parameter, a method before ANY. `path` is
 * decoded.
 */
export function compileRouter<Target>(routes: ReadonlyMap<string, Target>): Router<Target> {
  const root = emptyNode<Target>()
  for (const [routeKey, target] of routes) add(root, routeKey, target)
  return (method, path) => {
    const segments = path.split('/')
    return walk(root, segments, 1, method, [], false) ?? walk(root, segments, 1, method, [], true)
  }
}

function add<Target>(root: Node<Target>, routeKey: string, target: Target): void {
  const [method = '', path = ''] = routeKey.split(' ')
  const parameters: string[] = []
  let node = root
  for (const segment of path.split('/').slice(1)) {
    const [, name, plus] = /^\{([^{}+]+)(\+?)\}$/.exec(segment) ?? []
    if (name !== undefined) parameters.push(name)
    if (plus === '+') {
      node.greedy.set(method, { routeKey, target, parameters })
      return
    }
    node = name === undefined ? literalBelow(node, segment) : parameterBelow(node)
  }
  node.methods.set(method, { routeKey, target, parameters })
}

function literalBelow<Target>(node: Node<Target>, segment: string): Node<Target> {
  const child = node.literals.get(segment) ?? emptyNode<Target>()
  node.literals.set(segment, child)
  return child
}

function parameterBelow<Target>(node: Node<Target>): Node<Target> {
  node.parameter ??= emptyNode<Target>()
  return node.parameter
}

function walk<Target>(
  node: Node<Target>,
  segments: readonly string[],
  at: number,
  method: string,
  values: readonly string[],
  greedy: boolean,
): RouteMatch<Target> | undefined {
  const segment = segments[at]
  if (segment === undefined) return greedy ? undefined : findRoute(node.methods, method, values)
  const literal = node.literals.get(segment)
  const match =
    (literal && walk(literal, segments, at + 1, method, values, greedy)) ??
    (node.parameter && segment !== ''
      ? walk(node.parameter, segments, at + 1, method, [...values, segment], greedy)
      : undefined)
  if (match !== undefined || !greedy) return match
  return findRoute(node.greedy, method, [...values, segments.slice(at).join('/')])
}

function findRoute<Target>(
  routes: ReadonlyMap<string, CompiledRoute<Target>>,
  method: string,
  values: readonly string[],
): RouteMatch<Target> | undefined {
  const route = routes.get(method) ?? routes.get('ANY')
  return route && { route, values }
}
