import { Validations } from 'aws-cdk-lib/core'
import type { IConstruct } from 'constructs'

/** Says why a rule of cdk-nag does not hold for a construct and what is below it. */
export function acceptRisk(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: rule, reason })
}
