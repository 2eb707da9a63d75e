import { PolicyStatement } from 'aws-cdk-lib/aws-iam'

type Conditions = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Creates a policy statement that allows actions on resources, under conditions. */
export const statement = (
  actions: readonly string[],
  resources: readonly string[],
  conditions?: Conditions,
): PolicyStatement =>
  new PolicyStatement({
    actions: [...actions],
    resources: [...resources],
    ...(conditions !== undefined && { conditions }),
  })
