import { DescribeStacksCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation'
import type { Clients } from './clients.ts'
import { findOptional } from './find-optional.ts'

export interface DeployedStack {
  /** Such as `UPDATE_COMPLETE`. */
  readonly status: string
  /** The reason that CloudFormation gives after a failure. */
  readonly reason: string | undefined
  readonly resources: readonly { readonly type: string; readonly physicalId: string }[]
  readonly outputs: Readonly<Record<string, string>>
}

/**
 * Whether a stack holds what the functions work with: a deployment then changes it, and needs no more of most quotas.
 */
export const isInService = (stack: DeployedStack | undefined): boolean =>
  stack !== undefined && /^(CREATE|UPDATE|UPDATE_ROLLBACK|IMPORT)_COMPLETE$/.test(stack.status)

/** Reads a stack and what belongs to it; `undefined` where there is none. */
export async function readDeployedStack(
  { cloudFormation: client }: Pick<Clients, 'cloudFormation'>,
  stackName: string,
): Promise<DeployedStack | undefined> {
  const described = await findOptional(client.send(new DescribeStacksCommand({ StackName: stackName })))
  const stack = described?.Stacks?.[0]
  if (stack === undefined) return undefined
  const resources: { readonly type: string; readonly physicalId: string }[] = []
  for await (const { StackResourceSummaries = [] } of paginateListStackResources(
    { client },
    { StackName: stackName },
  )) {
    for (const { ResourceType, PhysicalResourceId } of StackResourceSummaries) {
      if (ResourceType !== undefined && PhysicalResourceId !== undefined)
        resources.push({ type: ResourceType, physicalId: PhysicalResourceId })
    }
  }
  const outputs = (stack.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue] as const)
  return {
    status: stack.StackStatus ?? '',
    reason: stack.StackStatusReason,
    resources,
    outputs: Object.fromEntries(outputs),
  }
}

/** The physical ids of a stack's resources of one type. */
export const listDeployedIds = (stack: DeployedStack | undefined, type: string): readonly string[] =>
  (stack?.resources ?? []).filter((one) => one.type === type).map(({ physicalId }) => physicalId)
