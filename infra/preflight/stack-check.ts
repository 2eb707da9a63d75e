import type { Check } from './check.ts'
import { isInService } from './deployed-stack.ts'
import { fault, type NewFinding, ok } from './finding.ts'

const section = 'RUNBOOK.md, "A first deployment that failed"'

/** The state of the stack itself: a deployment begins from few of them. */
export const stackCheck: Check = {
  name: 'stack',
  actions: ['cloudformation:DescribeStacks', 'cloudformation:ListStackResources'],
  run: async ({ deployed, plan: { stackName } }) => {
    if (deployed === undefined) return [ok(`there is no stack ${stackName} yet: this is its first deployment`)]
    if (isInService(deployed)) return [ok(`${stackName} is ${deployed.status}`)]
    return [stuck(stackName, deployed.status, deployed.reason)]
  },
}

function stuck(stackName: string, status: string, reason = 'no reason is given'): NewFinding {
  const text = `${stackName} is ${status}: ${reason}`
  if (status.endsWith('_IN_PROGRESS'))
    return fault(text, 'Wait until it has ended: aws cloudformation describe-stack-events')
  if (status === 'UPDATE_ROLLBACK_FAILED')
    return fault(
      text,
      `Correct the faults that the events name, then: aws cloudformation continue-update-rollback --stack-name ${stackName}`,
    )
  if (status === 'ROLLBACK_COMPLETE' || status === 'REVIEW_IN_PROGRESS')
    return fault(text, `aws cloudformation delete-stack --stack-name ${stackName}, then deploy again; ${section}`)
  return fault(text, section)
}
