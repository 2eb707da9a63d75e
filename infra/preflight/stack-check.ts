import type { Stage } from '../settings/stage-settings.ts'
import type { Check } from './check.ts'
import { type DeployedStack, isInService, listDeployedIds } from './deployed-stack.ts'
import { fault, type NewFinding, ok } from './finding.ts'

const section = 'RUNBOOK.md, "A first deployment that failed"'

/** The state of the stack itself: a deployment begins from few of them. */
export const stackCheck: Check = {
  name: 'stack',
  actions: ['cloudformation:DescribeStacks', 'cloudformation:ListStackResources'],
  run: async ({ deployed, plan: { stackName, stage } }) => {
    const { kind } = stage.database
    if (deployed === undefined) return [ok(`there is no stack ${stackName} yet: this is its first deployment`)]
    if (isInService(deployed)) return [ok(`${stackName} is ${deployed.status}`), ...compareDatabase(deployed, kind)]
    return [stuck(stackName, deployed.status, deployed.reason)]
  },
}

/** A deployment with another kind succeeds: with an empty database, and without the first one. */
function compareDatabase(deployed: DeployedStack, kind: Stage['database']['kind']): readonly NewFinding[] {
  const isThere = (type: string) => listDeployedIds(deployed, type).length > 0
  const own = isThere('AWS::RDS::DBCluster') ? 'created' : isThere('AWS::RDS::DBInstance') ? 'instance' : undefined
  const deployedKind = own ?? 'existing'
  if (deployedKind === kind) return []
  const loss =
    own === undefined ? 'the new database would be empty' : 'its database would be deleted, and its rows not moved'
  return [
    fault(
      `database.kind is '${kind}', and the stage in service has '${deployedKind}': ${loss}`,
      'Deploy another stage and move the rows; RUNBOOK.md, "Change the kind of the database"',
    ),
  ]
}

function stuck(stackName: string, status: string, reason = 'no reason is given'): NewFinding {
  const text = `${stackName} is ${status}: ${reason}`
  if (status.endsWith('_IN_PROGRESS'))
    return fault(text, `Wait until it has ended: aws cloudformation describe-stack-events --stack-name ${stackName}`)
  if (status === 'UPDATE_ROLLBACK_FAILED')
    return fault(
      text,
      `Correct the faults that the events name, then: aws cloudformation continue-update-rollback --stack-name ${stackName}`,
    )
  if (status === 'ROLLBACK_COMPLETE' || status === 'REVIEW_IN_PROGRESS')
    return fault(text, `aws cloudformation delete-stack --stack-name ${stackName}, then deploy again; ${section}`)
  return fault(text, section)
}
