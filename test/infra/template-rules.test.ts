import { expect, it } from 'vitest'
import type { StageSettings } from '../../infra/settings/stage-settings.ts'
import { stageNamed, stageNames } from '../../infra/stages.ts'
import { fullStage, smallStage, validateStack } from '../support/infra/synthesized-stack.ts'

const vpc = { id: 'vpc-01234567', subnetIds: ['subnet-0000000a', 'subnet-0000000b'], securityGroupId: 'sg-01234567' }
const ownerSecretArn = 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:owner-AbCdEf'

const changeDatabase = (change: object) =>
  ({ ...smallStage, database: { ...smallStage.database, ...change } }) as StageSettings

const alarms = { notify: ['ops@example.com'], monthlyBudget: 30 }

const settingsByName: Readonly<Record<string, StageSettings>> = {
  // First those with most types of resources: the rules are loaded again for a template that has others.
  'every setting': { ...fullStage, alarms },
  'the fewest settings': smallStage,
  'a database in a network': changeDatabase({ vpc }),
  'a database whose owner migrates it': changeDatabase({ ownerSecretArn, rowSecurity: 'on' }),
  'no monitoring': { ...smallStage, monitoring: 'off' },
  'a budget': { ...smallStage, alarms },
  'one guard': { ...fullStage, guards: ['partners'] },
}

it.each(Object.keys(settingsByName))('a stage with %s keeps the rules of CloudFormation for templates', (name) => {
  expect(() => validateStack(settingsByName[name] ?? smallStage)).not.toThrow()
})

it.each(stageNames)('the stage %s of stages.ts keeps the rules of CloudFormation for templates', (stage) => {
  const { name: _, ...settings } = stageNamed(stage)
  expect(() => validateStack(settings as StageSettings)).not.toThrow()
})
