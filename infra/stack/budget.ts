import { createHash } from 'node:crypto'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import type { Construct } from 'constructs'
import type { Stage } from '../settings/stage-settings.ts'

/**
 * A budget of the whole account, whose mails go to the addresses of the alarms; none where the stage names no amount.
 */
export function createBudget(scope: Construct, { name, alarms }: Stage): void {
  if (alarms.monthlyBudget === undefined) return
  const subscribers = alarms.notify.map((address) => ({ subscriptionType: 'EMAIL', address }))
  const notification = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: { comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE', notificationType, threshold },
    subscribers,
  })
  const notifications = [notification('ACTUAL', 80), notification('FORECASTED', 100)]
  const hash = createHash('sha256').update(JSON.stringify(notifications)).digest('hex').slice(0, 8)
  new CfnBudget(scope, 'Budget', {
    budget: {
      // Other notifications replace the budget: the new one is created first, and needs a name of its own.
      budgetName: `table-control-${name}-${hash}`,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: alarms.monthlyBudget, unit: 'USD' },
    },
    notificationsWithSubscribers: notifications,
  })
}
