import { PolicyStatement } from 'aws-cdk-lib/aws-iam'

type Conditions = Readonly<Record<string, Readonly<Record<string, string>>>>

/** What may be done with which resources, under which conditions. */
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
