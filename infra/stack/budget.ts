import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import type { Construct } from 'constructs'
import type { Stage } from '../settings/stage-settings.ts'

/** A budget of the whole account, whose mails go to the addresses of the alarms; none where the stage names no amount. */
export function createBudget(scope: Construct, { name, alarms }: Stage): void {
  if (alarms.monthlyBudget === undefined) return
  const subscribers = alarms.notify.map((address) => ({ subscriptionType: 'EMAIL', address }))
  const notification = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: { comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE', notificationType, threshold },
    subscribers,
  })
  new CfnBudget(scope, 'Budget', {
    budget: {
      budgetName: `table-control-${name}`,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: alarms.monthlyBudget, unit: 'USD' },
    },
    notificationsWithSubscribers: [notification('ACTUAL', 80), notification('FORECASTED', 100)],
  })
}
