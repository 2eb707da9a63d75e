import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { createLambda, type Lambda } from '../lambda/lambda.ts'
import type { LocalFunction } from '../lambda/local-function.ts'
import type { Resource, Template } from './template.ts'
import { functionVariables, type VariableSources } from './variables.ts'

const lambda = z.object({
  Runtime: z.string(),
  Handler: z.string(),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  ReservedConcurrentExecutions: z.number().optional(),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }).default({ Variables: {} }),
})

export interface DeployedFunction {
  readonly id: string
  readonly name: string
  readonly timeoutMs: number
  readonly lambda: Lambda
  readonly variables: Readonly<Record<string, string>>
}

interface DeployOptions extends VariableSources {
  readonly cold: boolean
}

/** Every function of the template that is ours, by its logical id. Throws what a function lacks, such as its file. */
export const deployFunctions = (template: Template, options: DeployOptions): ReadonlyMap<string, DeployedFunction> =>
  new Map(
    template
      .listResources('AWS::Lambda::Function', lambda)
      .filter(isOurs)
      .map((resource) => [resource.id, deploy(template.directory, resource, options)]),
  )

/** The CDK adds functions of its own, which only a deployment calls; their environment is not ours. */
const isOurs = ({ name }: Resource<unknown>) => !/^(?:Custom::|AWS[0-9a-f]{8}|LogRetention|.*\/framework-)/.test(name)

function deploy(
  directory: string,
  resource: Resource<z.output<typeof lambda>>,
  options: DeployOptions,
): DeployedFunction {
  const { id, name, properties } = resource
  const { Timeout, MemorySize: memoryMb, ReservedConcurrentExecutions: reserved, Environment } = properties
  const timeoutMs = Timeout * 1_000
  const variables = functionVariables({ id, name, memoryMb, written: Environment.Variables }, options)
  const code = findHandler(directory, resource)
  const running = createLambda({ name, ...code, memoryMb, timeoutMs, reserved, cold: options.cold, variables })
  return { id, name, timeoutMs, lambda: running, variables }
}

/** Returns a function as gateways, queues and schedules call it. */
export const toTarget = <Event>({ name, lambda: { invoke, isBusy } }: DeployedFunction): LocalFunction<Event> => ({
  name,
  handler: invoke,
  isBusy,
})

/** The file and the export that Lambda would look for. */
function findHandler(directory: string, { name, properties, metadata }: Resource<z.output<typeof lambda>>) {
  const { Handler, Runtime } = properties
  if (Runtime !== 'nodejs24.x') throw new Error(`${name} is for ${Runtime}, which does not run here`)
  const asset = metadata['aws:asset:path']
  if (typeof asset !== 'string') throw new Error(`${name} has no asset with its code`)
  const folder = join(directory, asset)
  if (!existsSync(folder)) throw new Error(`${name}: its asset ${folder} is missing`)
  const dot = Handler.lastIndexOf('.')
  const module = Handler.slice(0, dot)
  const handler = Handler.slice(dot + 1)
  const file = ['.js', '.mjs', '.cjs'].map((ending) => join(folder, module + ending)).find(existsSync)
  if (file === undefined) throw new Error(`${name}: its handler is ${Handler}, but ${folder} holds no file "${module}"`)
  return { file, handler }
}
