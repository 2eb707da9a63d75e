import type { Count } from './invocation.ts'

/** The name of a metric of the service. Alarms and graphs are on these. */
export type MetricName = Count | 'Requests' | 'Errors' | 'Refusals' | 'AuthUnavailable' | 'Duration' | 'QueueAge'

/** The dimensions of a metric. CloudWatch bills each combination. */
const dimensions = {
  service: ['service'],
  endpoint: ['service', 'endpoint'],
  code: ['service', 'code'],
} as const

const groupings: Readonly<Partial<Record<MetricName, readonly (keyof typeof dimensions)[]>>> = {
  Requests: ['service', 'endpoint'],
  Errors: ['service', 'endpoint', 'code'],
  Refusals: ['service', 'code'],
  Duration: ['endpoint'],
  Rows: ['endpoint'],
}

interface Directive {
  readonly Namespace: string
  readonly Dimensions: readonly (readonly string[])[]
  readonly Metrics: readonly { readonly Name: MetricName; readonly Unit: 'Count' | 'Milliseconds' }[]
}

const known = new Map<string, readonly Directive[]>()

/**
 * Returns the directive that turns numbers of a log line into metrics, in CloudWatch's embedded metric format. The line
 * needs a field `service`, and `endpoint` and `code` where it has metrics of such dimensions.
 */
export function embeddedMetrics(namespace: string, names: readonly MetricName[]) {
  const key = `${namespace} ${names.join(' ')}`
  const directives = known.get(key) ?? createDirectives(namespace, names)
  known.set(key, directives)
  return { Timestamp: Date.now(), CloudWatchMetrics: directives }
}

function createDirectives(namespace: string, names: readonly MetricName[]): readonly Directive[] {
  const groups = Map.groupBy(names, (name) => (groupings[name] ?? ['service']).join())
  return [...groups].map(([group, members]) => ({
    Namespace: namespace,
    Dimensions: group.split(',').map((grouping) => dimensions[grouping as keyof typeof dimensions]),
    Metrics: members.map((Name) => ({ Name, Unit: findUnit(Name) })),
  }))
}

const findUnit = (name: MetricName) => (name === 'Duration' || name === 'QueueAge' ? 'Milliseconds' : 'Count')
