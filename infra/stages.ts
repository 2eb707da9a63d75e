import { parseStage, type Stage, type StageSettings } from './settings/stage-settings.ts'

/** SES accepts mails to this address, delivers none and counts no bounce: `npm run smoke` sends one. */
const simulatorAddress = 'success@simulator.amazonses.com'

/** The stages by name: `npx cdk deploy -c stage=<name>`. settings/stage-settings.ts explains every setting. */
const stages: Readonly<Record<string, StageSettings>> = {
  dev: {
    region: 'eu-central-1',
    auth: {
      issuer: 'https://login.example.com',
      audience: ['table-control'],
      jwksUrl: 'https://login.example.com/.well-known/jwks.json',
    },
    allowedOrigins: ['http://localhost:5173'],
    mail: {
      sender: 'Table Control <reports@dev.example.com>',
      domains: ['example.com'],
      addresses: [simulatorAddress],
    },
    database: { kind: 'created', minCapacity: 0.5, maxCapacity: 4, connections: 170 },
  },
  // The cheapest stage, for a developer's own account as AWS opens it. README.md says what it costs and lacks.
  personal: {
    region: 'eu-central-1',
    accountConcurrency: 10,
    reservedConcurrency: 'off',
    monitoring: 'off',
    auth: {
      issuer: 'https://login.example.com',
      audience: ['table-control'],
      jwksUrl: 'https://login.example.com/.well-known/jwks.json',
    },
    allowedOrigins: ['http://localhost:5173'],
    explorer: 'on',
    database: { kind: 'instance', instanceType: 't4g.micro', connections: 20 },
  },
  production: {
    region: 'eu-central-1',
    account: '111111111111',
    // Turn it on as soon as the first deployment has succeeded, and deploy again.
    deletionProtection: 'off',
    domain: {
      http: 'tables.example.com',
      sockets: 'sockets.tables.example.com',
      certificateArn: 'arn:aws:acm:eu-central-1:111111111111:certificate/00000000-0000-0000-0000-000000000000',
    },
    auth: { userPoolId: 'eu-central-1_example', clientIds: ['example-client'] },
    allowedOrigins: ['https://app.example.com'],
    mail: {
      sender: 'Table Control <reports@example.com>',
      domains: ['example.com'],
      addresses: [simulatorAddress],
      alerts: ['operations@example.com'],
    },
    alarms: { notify: ['operations@example.com'] },
    database: { kind: 'created', minCapacity: 1, maxCapacity: 16, connections: 400, readers: 1, natGateways: 2 },
    requestsPerSecond: 500,
    maxConcurrentReports: 5,
  },
}

export const stageNames: readonly string[] = Object.keys(stages)

/** The settings of a stage. Throws one message that names every wrong or missing setting and its place. */
export function stageNamed(name: string): Stage {
  const settings = Object.hasOwn(stages, name) ? stages[name] : undefined
  if (settings === undefined)
    throw new Error(`infra/stages.ts has no stage "${name}"; use one of ${stageNames.join(', ')}`)
  return parseStage(name, settings)
}
