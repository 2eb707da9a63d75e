import { readFileSync } from 'node:fs'
import { App } from 'aws-cdk-lib'
import { Code } from 'aws-cdk-lib/aws-lambda'
import * as z from 'zod'
import type { Stage } from '../settings/stage-settings.ts'
import { ServiceStack } from '../stack/service-stack.ts'

const resource = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
})

const template = z.looseObject({
  Resources: z.record(z.string(), resource),
  Outputs: z.record(z.string(), z.unknown()).default({}),
  Parameters: z.record(z.string(), z.unknown()).default({}),
  Mappings: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown()))).default({}),
  Description: z.string().default(''),
})

/** A template of CloudFormation, as far as it is checked. */
export type StackTemplate = z.output<typeof template>
export type StackResource = z.output<typeof resource>

/** Reads a template. Throws what it lacks to be one. */
export const parseTemplate = (value: unknown): StackTemplate => template.parse(value)

const cdkSettings = z.object({ context: z.record(z.string(), z.unknown()) })
const settingsFile = new URL('../../cdk.json', import.meta.url)

/** Synthesizes the template of a stage, with the folder of this file for the code of every function. */
export function stageTemplate(stage: Stage): StackTemplate {
  const { context } = cdkSettings.parse(JSON.parse(readFileSync(settingsFile, 'utf8')))
  // The rules of CloudFormation are those of a synthesis, and take seconds to load.
  const app = new App({ context, analyticsReporting: false, builtinCloudFormationValidation: false })
  const anyCode = () => Code.fromAsset(import.meta.dirname)
  const stack = new ServiceStack(app, `table-control-${stage.name}`, { stage, codeOf: anyCode })
  return parseTemplate(app.synth().getStackByName(stack.stackName).template)
}
