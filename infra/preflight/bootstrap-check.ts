import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import type { Check } from './check.ts'
import { findOptional } from './find-optional.ts'
import { fault, ok } from './finding.ts'

/** The stack that `cdk bootstrap` makes, once for an account and region. */
export const bootstrapCheck: Check = {
  name: 'cdk-bootstrap',
  actions: ['cloudformation:DescribeStacks'],
  run: async ({ clients, plan: { bootstrapVersion, region } }) => {
    const described = await findOptional(
      clients.cloudFormation.send(new DescribeStacksCommand({ StackName: 'CDKToolkit' })),
    )
    const fix = `npx cdk bootstrap aws://<account>/${region}`
    const version = described?.Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'BootstrapVersion')
    if (version?.OutputValue === undefined) return [fault('the region is not bootstrapped for the CDK', fix)]
    if (Number(version.OutputValue) < bootstrapVersion)
      return [fault(`bootstrap version ${version.OutputValue}, ${bootstrapVersion} is needed`, fix)]
    return [ok(`version ${version.OutputValue}, ${bootstrapVersion} is needed`)]
  },
}
