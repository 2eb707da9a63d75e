import { join } from 'node:path'
import type { Authorize } from '../authorize.ts'
import type { LocatedParts } from '../local-parts.ts'
import type { LocalService, ServicePlan } from '../service-plan.ts'
import type { StartOptions } from '../start-options.ts'
import { localizer } from './addresses.ts'
import { readHttpApi, readSocketApi } from './apis.ts'
import { deployFunctions } from './functions.ts'
import { localBuckets, localValues } from './local-values.ts'
import { readPermissions } from './permissions.ts'
import { authorizeBy } from './policies.ts'
import { readQueues } from './queues.ts'
import { createResolver } from './resolve.ts'
import { readTemplate, type Template } from './template.ts'
import { readMappings, readSchedules } from './triggers.ts'

type Settings = Pick<StartOptions, 'cold' | 'batchSize' | 'sweepSeconds'>

/**
 * The service as it would be deployed: the template of a stage and the assets beside it. Throws, before anything is
 * started, what the two lack. `directory` is where the stack keeps its data.
 */
export function assemblyPlan(
  assembly: string,
  directory: string,
  { stage, visibilitySeconds, ...settings }: Settings & Pick<StartOptions, 'stage' | 'visibilitySeconds'>,
): ServicePlan {
  const template = readTemplate(assembly, stage)
  const secrets = join(directory, 'secrets')
  load(template, nowhere, secrets, settings)
  return {
    queues: readQueues(template, visibilitySeconds),
    buckets: [...localBuckets(template).values()],
    authorize: authorizeFor(template, secrets),
    load: async (parts) => load(template, parts, secrets, settings),
  }
}

/**
 * Judges requests by the policies of the template, and prints what they do not allow. No policy names the URL of a
 * queue, so its name stands in for it.
 */
function authorizeFor(template: Template, secrets: string): Authorize {
  const isAllowed = authorizeBy(template, createResolver(localValues(template, secrets, (name) => name)))
  return (asked) => {
    const allowed = isAllowed(asked)
    const what = `${asked.action} on ${asked.resources.join(' and ')}`
    if (!allowed) console.error(`The template gives ${asked.accessKeyId} no permission for ${what}`)
    return allowed
  }
}

function load(
  template: Template,
  parts: LocatedParts,
  secrets: string,
  { cold, batchSize, sweepSeconds }: Settings,
): LocalService {
  const resolve = createResolver(localValues(template, secrets, parts.queue.findQueueUrl))
  const permissions = readPermissions(template, resolve)
  const functions = deployFunctions(template, { parts, resolve, localize: localizer(template, parts), cold })
  return {
    ...readHttpApi(template, functions, permissions),
    hasExplorer: [...functions.values()].some(({ variables }) => variables['EXPLORER'] === 'on'),
    sockets: { ...readSocketApi(template, functions, permissions), authorize: authorizeFor(template, secrets) },
    mappings: readMappings(template, functions, parts, batchSize),
    schedules: readSchedules(template, functions, permissions, sweepSeconds && sweepSeconds * 1_000),
    stop: async () => {
      await Promise.all([...functions.values()].map(({ lambda }) => lambda.stop()))
    },
  }
}

/** Placeholders for the servers that are not started yet. */
const nowhere: LocatedParts = {
  port: 1,
  socketPort: 1,
  ownerUrl: 'postgres://127.0.0.1:1/none',
  databaseUrl: 'postgres://127.0.0.1:1/none',
  jwksUrl: 'http://127.0.0.1:1',
  queue: { endpoint: 'http://127.0.0.1:1', findQueueUrl: (name) => `http://127.0.0.1:1/${name}` },
  mail: { endpoint: 'http://127.0.0.1:1' },
}
