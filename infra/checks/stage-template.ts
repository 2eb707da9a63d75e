import { readFileSync } from 'node:fs'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { App, type AppProps } from 'aws-cdk-lib/core'
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

/** Reads a template. Throws an error that names the missing part. */
export const parseTemplate = (value: unknown): StackTemplate => template.parse(value)

const cdkSettings = z.object({ context: z.record(z.string(), z.unknown()) })
const settingsFile = new URL('../../cdk.json', import.meta.url)

/** The stack of a stage as it would be deployed, but for the code of its functions. */
export interface StageStack {
  readonly stackName: string
  readonly template: StackTemplate
  readonly bootstrapVersion: number
}

/** Stacks by the settings of their stage: a synthesis takes half a second of a processor. */
const synthesized = new Map<string, StageStack>()

/**
 * Synthesizes the stack of a stage, with the folder of this file for the code of every function. Callers must not
 * change it.
 */
export function stageStack(stage: Stage): StageStack {
  const settings = JSON.stringify(stage)
  const stack = synthesized.get(settings) ?? synthesize(stage)
  synthesized.set(settings, stack)
  return stack
}

/** Returns the template of `stageStack`. Callers must not change it. */
export const stageTemplate = (stage: Stage): StackTemplate => stageStack(stage).template

/** Reads the options of an app of which only the templates are read: they leave out whatever else a synthesis writes. */
export function readTemplateOptions(): AppProps {
  const { context } = cdkSettings.parse(JSON.parse(readFileSync(settingsFile, 'utf8')))
  return {
    context: { ...context, 'aws:cdk:disable-creation-stack-traces': true },
    analyticsReporting: false,
    // The rules of CloudFormation are those of a synthesis, and take seconds to load.
    builtinCloudFormationValidation: false,
    stackTraces: false,
    treeMetadata: false,
  }
}

function synthesize(stage: Stage): StageStack {
  const app = new App(readTemplateOptions())
  const anyCode = () => Code.fromAsset(import.meta.dirname)
  const { stackName } = new ServiceStack(app, `table-control-${stage.name}`, { stage, loadCode: anyCode })
  const artifact = app.synth().getStackByName(stackName)
  return {
    stackName: artifact.stackName,
    template: parseTemplate(artifact.template),
    bootstrapVersion: artifact.requiresBootstrapStackVersion ?? 6,
  }
}
