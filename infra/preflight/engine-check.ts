import { DescribeDBEngineVersionsCommand, DescribeOrderableDBInstanceOptionsCommand } from '@aws-sdk/client-rds'
import { namedZones } from '../settings/stage-settings.ts'
import type { Check, CheckContext } from './check.ts'
import { isInService } from './deployed-stack.ts'
import { fault, type NewFinding, ok, warning } from './finding.ts'
import type { DatabaseEngine } from './stage-plan.ts'

/** Whether the region offers the database that the template names. */
export const engineCheck: Check = {
  name: 'database-engine',
  actions: ['rds:DescribeDBEngineVersions', 'rds:DescribeOrderableDBInstanceOptions'],
  concerns: ({ engines }) => engines.length > 0,
  run: async (context) => Promise.all(context.plan.engines.map((engine) => checkOffer(context, engine))),
}

async function checkOffer({ clients, deployed, plan }: CheckContext, wanted: DatabaseEngine): Promise<NewFinding> {
  const { engine: Engine, version: EngineVersion, instanceClass: DBInstanceClass } = wanted
  const { DBEngineVersions = [] } = await clients.databases.send(
    new DescribeDBEngineVersionsCommand({ Engine, EngineVersion }),
  )
  if (DBEngineVersions.length === 0) {
    const others = await findVersions(clients.databases, Engine, EngineVersion)
    const text = `${plan.region} does not offer ${Engine} ${EngineVersion}; of that major version it has ${others.join(', ') || 'none'}`
    const fix = 'Choose an offered version where infra/ creates the database, of the same major version or a later one'
    // A server that runs keeps its version; only a new one cannot be made.
    return isInService(deployed) ? warning(text, fix) : fault(text, fix)
  }
  const { OrderableDBInstanceOptions = [] } = await clients.databases.send(
    new DescribeOrderableDBInstanceOptionsCommand({ Engine, EngineVersion, DBInstanceClass, Vpc: true }),
  )
  const { database } = plan.stage
  const wantsDataApi = database.kind === 'created' && database.dataApi === 'on'
  if (wantsDataApi && OrderableDBInstanceOptions.some(({ SupportsHttpEndpoint }) => SupportsHttpEndpoint === false))
    return fault(`${plan.region} has no Data API for ${Engine} ${EngineVersion}`, "Set database.dataApi: 'off'")
  const zones = new Set(
    OrderableDBInstanceOptions.flatMap(({ AvailabilityZones = [] }) =>
      AvailabilityZones.flatMap(({ Name }) => Name ?? []),
    ),
  )
  const text = `${Engine} ${EngineVersion} as ${DBInstanceClass} in ${zones.size} zones of ${plan.region}`
  const missing = namedZones(plan.stage).filter((zone) => !zones.has(zone))
  if (missing.length > 0)
    return fault(`${text}, not in ${missing.join(' and ')}`, `Set database.zones to two of ${[...zones].join(', ')}`)
  if (zones.size >= 2) return ok(text)
  return fault(`${text}, 2 are needed`, 'Choose another size or region for the database')
}

async function findVersions(
  client: CheckContext['clients']['databases'],
  Engine: string,
  version: string,
): Promise<readonly string[]> {
  const major = version.split('.')[0] ?? ''
  const { DBEngineVersions = [] } = await client.send(
    new DescribeDBEngineVersionsCommand({ Engine, EngineVersion: major }),
  )
  return DBEngineVersions.flatMap(({ EngineVersion = '' }) =>
    EngineVersion.startsWith(`${major}.`) ? [EngineVersion] : [],
  )
}
