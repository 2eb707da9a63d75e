import { afterAll, beforeAll, it } from 'vitest'
import type { StagePlan } from '../../infra/preflight/stage-plan.ts'
import { parseStage } from '../../infra/settings/stage-settings.ts'
import { AwsError } from '../support/infra/aws-server.ts'
import {
  expectFinding,
  mailingStage,
  type PreflightAccount,
  type PreflightCase,
  preflightPlan,
  startPreflightAccount,
} from '../support/infra/preflight-account.ts'
import { smallStage } from '../support/infra/synthesized-stack.ts'

let account: PreflightAccount
let full: StagePlan
beforeAll(async () => {
  account = await startPreflightAccount()
  full = preflightPlan(mailingStage)
})
afterAll(() => account.stop())

const simulator = 'success@simulator.amazonses.com'
const mailAccount = 'GET /v2/email/account'
const missing = new AwsError('NotFoundException', 'not found', 404)

const identity = 'GET /v2/email/identities/acme.dev'
const sends = { ProductionAccessEnabled: true, SendingEnabled: true, EnforcementStatus: 'HEALTHY' }
const certificate = (change: object) => ({
  'acm.DescribeCertificate': {
    Certificate: {
      DomainName: '*.acme.dev',
      SubjectAlternativeNames: ['*.tables.acme.dev'],
      Status: 'ISSUED',
      ...change,
    },
  },
})
const inMail = (change: object) => () => {
  const { mail } = full.stage
  return { stage: { ...full.stage, ...(mail && { mail: { ...mail, ...change } }) } }
}
const withoutZone = () => {
  const { domain } = full.stage
  return { stage: { ...full.stage, ...(domain && { domain: { ...domain, hostedZone: undefined } }) } }
}
/** Pushes by the name of its domain, which leads to API Gateway already. */
const pushesByDomain = () => {
  const vpc = { id: 'vpc-01234567', subnetIds: ['subnet-0000000a'], securityGroupId: 'sg-01234567' } as const
  const database = { ...smallStage.database, vpc: { ...vpc, executeApiEndpoint: 'private-dns' } }
  const domain = {
    ...mailingStage.domain,
    http: 'sockets.tables.acme.dev',
    sockets: 'tables.acme.dev',
    hostedZone: undefined,
  }
  return { stage: parseStage('test', { ...mailingStage, domain, database }) }
}
const cases: readonly PreflightCase[] = [
  {
    title: 'the sandbox of SES',
    check: 'mail-account',
    responses: { [mailAccount]: { ...sends, ProductionAccessEnabled: false } },
    text: 'in its sandbox',
    fix: 'Ask for production access',
  },
  {
    title: 'an account that SES has stopped',
    check: 'mail-account',
    responses: { [mailAccount]: { ...sends, EnforcementStatus: 'SHUTDOWN' } },
    text: 'may not send (SHUTDOWN)',
    fix: 'Bounces and complaints',
  },
  {
    title: 'an account that SES looks at',
    check: 'mail-account',
    level: 'warning',
    responses: { [mailAccount]: { ...sends, EnforcementStatus: 'PROBATION' } },
    text: 'under review',
    fix: 'Bounces and complaints',
  },
  {
    title: 'an identity that the account has already',
    check: 'mail-identity',
    responses: { [identity]: { VerifiedForSendingStatus: true } },
    text: 'has an identity of reports@acme.dev already',
    fix: "mail.identity: 'existing'",
  },
  {
    title: 'an identity that is said to be there and is not',
    check: 'mail-identity',
    plan: () => ({ createsIdentity: false }),
    text: 'has no identity acme.dev',
    fix: "mail.identity: 'created'",
  },
  {
    title: 'an identity without its DNS records',
    check: 'mail-identity',
    deployed: true,
    responses: { [identity]: { VerifiedForSendingStatus: false, DkimAttributes: { Status: 'PENDING' } } },
    text: 'not verified (DKIM PENDING)',
    fix: 'Write the MailRecord outputs',
  },
  {
    title: 'a configuration set that is gone',
    check: 'mail-configuration-set',
    deployed: true,
    responses: { 'GET /v2/email/configuration-sets/table-control-test': missing },
    text: 'the configuration set table-control-test is gone',
    fix: 'Deploy the stage once more',
  },
  {
    title: 'a configuration set that was stopped',
    check: 'mail-configuration-set',
    deployed: true,
    responses: { 'GET /v2/email/configuration-sets/table-control-test': { SendingOptions: { SendingEnabled: false } } },
    text: 'the configuration set table-control-test may not send',
    fix: 'put-configuration-set-sending-options',
  },
  {
    title: 'an allow-list without the simulator',
    check: 'mail-account',
    level: 'warning',
    plan: inMail({ addresses: [] }),
    text: 'the smoke test can send no mail',
    fix: `Add ${simulator} to mail.addresses`,
  },
  {
    title: 'a certificate of another region',
    check: 'domain',
    plan: () => ({ region: 'eu-west-1' }),
    text: 'the certificate is of eu-central-1, the stage of eu-west-1',
    fix: 'Ask ACM for one in eu-west-1',
  },
  {
    title: 'a certificate that there is not',
    check: 'domain',
    responses: { 'acm.DescribeCertificate': new AwsError('ResourceNotFoundException', 'no such certificate') },
    text: 'there is no certificate',
    fix: 'domain.certificateArn',
  },
  {
    title: 'a certificate that waits for its DNS record',
    check: 'domain',
    responses: certificate({ Status: 'PENDING_VALIDATION' }),
    text: 'the certificate is PENDING_VALIDATION',
    fix: 'Write the CNAME records',
  },
  {
    title: 'a certificate for one of the names only',
    check: 'domain',
    responses: certificate({ SubjectAlternativeNames: [] }),
    text: 'the certificate is not for sockets.tables.acme.dev',
    fix: 'Ask ACM for one for tables.acme.dev and sockets.tables.acme.dev',
  },
  {
    title: 'a name that leads elsewhere, before there is a target',
    check: 'domain',
    level: 'warning',
    plan: withoutZone,
    text: 'sockets.tables.acme.dev leads to elsewhere.acme.dev',
    fix: 'CNAME <its DomainTarget output> into your DNS, after the deployment',
  },
  {
    title: 'a name that leads elsewhere, of a stage in service',
    check: 'domain',
    deployed: true,
    plan: withoutZone,
    text: 'sockets.tables.acme.dev leads to elsewhere.acme.dev',
    fix: 'CNAME <its DomainTarget output> into your DNS',
  },
  {
    title: 'a CNAME that leads from the VPC to its own endpoint',
    check: 'domain',
    plan: pushesByDomain,
    text: 'tables.acme.dev is a CNAME, which leads from the VPC to its endpoint',
    fix: 'Set domain.hostedZone, or write an alias record',
    also: ['existing-network', 'existing-database'],
  },
  {
    title: 'a domain name that API Gateway has already',
    check: 'domain',
    responses: { 'GET /domainnames/tables.acme.dev': { domainName: 'tables.acme.dev' } },
    text: 'API Gateway has the domain name tables.acme.dev already',
    fix: 'delete-domain-name --domain-name tables.acme.dev',
  },
]

it.each(cases)('the preflight finds $title', (one) => expectFinding(account, full, one))
