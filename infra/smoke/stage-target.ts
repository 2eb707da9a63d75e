import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { stageNamed } from '../stages.ts'
import type { SmokeTarget } from './service-call.ts'
import type { SmokeArguments } from './smoke-options.ts'

/** The service that a command line names, and whether it sends mails. */
export interface FoundTarget extends SmokeTarget {
  readonly sendsMails: boolean
}

/** Finds what to call: the URL as given, or the output of a stage's stack. Throws where the stack cannot be read. */
export async function findTarget(given: SmokeArguments): Promise<FoundTarget> {
  const { stage: name, baseUrl, token, guards, origin } = given
  if (name === undefined) return { baseUrl: baseUrl ?? '', guards, token, origin, sendsMails: true }
  const stage = stageNamed(name)
  return {
    baseUrl: await readUrlOutput(stage.region, `table-control-${stage.name}`),
    guards: stage.guards,
    token,
    origin: origin ?? stage.allowedOrigins.find((one) => one !== '*'),
    sendsMails: stage.mail !== undefined,
  }
}

async function readUrlOutput(region: string, stackName: string): Promise<string> {
  const client = new CloudFormationClient({ region })
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }))
    const url = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'Url')?.OutputValue
    if (url === undefined) throw new Error(`the stack is ${Stacks[0]?.StackStatus} and has no output Url`)
    return url.replace(/\/+$/, '')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${stackName}: ${reason}. Sign in to the stage's account, or use --base-url.`, { cause })
  } finally {
    client.destroy()
  }
}
