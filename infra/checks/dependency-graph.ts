import type { StackResource, StackTemplate } from './stage-template.ts'

/** Which resources each resource waits for, by logical id. */
type DependencyGraph = ReadonlyMap<string, ReadonlySet<string>>

/** Reads the order in which CloudFormation creates resources: `DependsOn`, `Ref`, `Fn::GetAtt` and `Fn::Sub`. */
function dependencyGraph({ Resources }: StackTemplate): DependencyGraph {
  const ids = new Set(Object.keys(Resources))
  return new Map(
    Object.entries(Resources).map(([id, resource]) => [
      id,
      new Set(findReferences(resource).filter((one) => ids.has(one))),
    ]),
  )
}

function findReferences({ DependsOn = [], Properties }: StackResource): readonly string[] {
  const text = JSON.stringify(Properties)
  const references = [...text.matchAll(/"(?:Ref":"|Fn::GetAtt":(?:\[")?"?)([A-Za-z0-9]+)/g)].map(([, id = '']) => id)
  const substituted = [...text.matchAll(/\$\{([A-Za-z0-9]+)/g)].map(([, id = '']) => id)
  return [DependsOn, references, substituted].flat()
}

/** Returns the first cycle as the ids on its way, or `undefined`. */
export function findCycle(graph: DependencyGraph): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (id: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(id)) return [...way.slice(way.indexOf(id)), id]
    if (done.has(id)) return undefined
    for (const next of graph.get(id) ?? []) {
      const cycle = visit(next, [...way, id])
      if (cycle !== undefined) return cycle
    }
    done.add(id)
    return undefined
  }
  for (const id of graph.keys()) {
    const cycle = visit(id, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}

/** Returns everything that a resource waits for, near and far. */
function findDependencies(graph: DependencyGraph, id: string, found = new Set<string>()): ReadonlySet<string> {
  for (const next of graph.get(id) ?? []) {
    if (found.has(next)) continue
    found.add(next)
    findDependencies(graph, next, found)
  }
  return found
}

/** Returns a sentence for each cycle, and for each function that could run before the migrations it relies on. */
export function findOrderFaults(template: StackTemplate): readonly string[] {
  const graph = dependencyGraph(template)
  const cycle = findCycle(graph)
  if (cycle !== undefined) return [`resources wait for each other: ${cycle.join(' > ')}`]
  const migrations = Object.entries(template.Resources).find(
    ([, { Type }]) => Type === 'Custom::DatabaseMigrations',
  )?.[0]
  if (migrations === undefined) return []
  const before = findDependencies(graph, migrations)
  return Object.entries(template.Resources).flatMap(([id, resource]) => {
    if (resource.Type !== 'AWS::Lambda::Function' || before.has(id) || !logsIn(resource)) return []
    return findDependencies(graph, id).has(migrations)
      ? []
      : [`${id} logs in to the database, and does not wait for ${migrations}`]
  })
}

const logsIn = ({ Properties }: StackResource): boolean =>
  /"DATABASE_URL":[^,]*(?:resolve:|Fn::)/.test(JSON.stringify(Properties))
