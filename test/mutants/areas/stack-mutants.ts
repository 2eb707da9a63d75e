import { createMutants } from '../mutant.ts'

export const stackMutants = createMutants(
  'stack',
  ['test/infra/security.test.ts'],
  [
    [
      'functions.addEgressRule(Peer.anyIpv4(), Port.tcp(443)',
      'functions.addEgressRule(Peer.anyIpv4(), Port.allTcp()',
      'test/infra/network.test.ts',
    ],
    ['backup: { retention: Duration.days(14) },', ''],
    [", { StringEquals: { 'ses:FromAddress': this.#address } }", ''],
    ['Migrations: readMigrations(migrationsFolder).hash', "Migrations: ''", 'test/infra/migrations.test.ts'],
    [
      'queueUrl: this.#jobs.queue.queueUrl',
      'queueUrl: this.#jobs.deadLetterQueue.queueUrl',
      'test/infra/stack.test.ts',
    ],
    ['stage.alarms.oldestMessageMinutes * 60', 'stage.alarms.oldestMessageMinutes', 'test/infra/alarms.test.ts'],
    ['COGNITO_TOKEN_USE: auth.tokenUse,', '', 'test/infra/stack.test.ts'],
  ],
)
