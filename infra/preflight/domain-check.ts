import { DescribeCertificateCommand } from '@aws-sdk/client-acm'
import { GetDomainNameCommand } from '@aws-sdk/client-api-gateway'
import { pushesByDomain } from '../settings/stage-settings.ts'
import type { Check, CheckContext } from './check.ts'
import { isInService } from './deployed-stack.ts'
import { findOptional } from './find-optional.ts'
import { fault, type NewFinding, ok, warning } from './finding.ts'

/** The certificate and the DNS of the stage's own names. */
export const domainCheck: Check = {
  name: 'domain',
  actions: ['acm:DescribeCertificate', 'apigateway:GET on /domainnames/*'],
  concerns: ({ stage }) => stage.domain !== undefined,
  run: async (context) => {
    const { domain } = context.plan.stage
    if (domain === undefined) return []
    const names = [domain.http, domain.sockets]
    return [
      await certificate(context, domain.certificateArn, names),
      ...(await Promise.all(names.map((name) => checkDns(context, name, domain.hostedZone?.name)))),
      ...(await Promise.all(names.map((name) => checkDomainInUse(context, name)))).flat(),
    ]
  },
}

const covers = (subject: string, name: string): boolean =>
  subject === name || (subject.startsWith('*.') && name.slice(name.indexOf('.')) === subject.slice(1))

async function certificate(
  { clients, plan: { region } }: CheckContext,
  CertificateArn: string,
  names: readonly string[],
): Promise<NewFinding> {
  const [, , , arnRegion] = CertificateArn.split(':')
  if (arnRegion !== region)
    return fault(
      `the certificate is of ${arnRegion}, the stage of ${region}`,
      `Ask ACM for one in ${region}, and put its ARN into domain.certificateArn`,
    )
  const response = await findOptional(clients.certificates.send(new DescribeCertificateCommand({ CertificateArn })))
  const known = response?.Certificate
  if (known === undefined)
    return fault(`there is no certificate ${CertificateArn}`, 'Put the ARN of an issued one into domain.certificateArn')
  const subjects = [known.DomainName ?? '', ...(known.SubjectAlternativeNames ?? [])]
  const missing = names.filter((name) => !subjects.some((subject) => covers(subject, name)))
  if (missing.length > 0)
    return fault(`the certificate is not for ${missing.join(' and ')}`, `Ask ACM for one for ${names.join(' and ')}`)
  if (known.Status !== 'ISSUED')
    return fault(
      `the certificate is ${known.Status}`,
      'Write the CNAME records by which ACM validates it into the DNS, and wait until it is ISSUED',
    )
  return ok(`the certificate is issued for ${names.join(' and ')}, until ${known.NotAfter?.toISOString().slice(0, 10)}`)
}

/** Checks the target of a name, or whether the zone that receives its record has name servers. */
async function checkDns(
  { dns, deployed, plan }: CheckContext,
  name: string,
  zone: string | undefined,
): Promise<NewFinding> {
  if (zone !== undefined) {
    const servers = await dns.resolveNs(zone).catch(() => [])
    if (servers.length > 0) return ok(`${name}: the stack writes its record into the zone ${zone}`)
    return fault(`the zone ${zone} of ${name} has no name servers`, `Delegate ${zone} to its hosted zone`)
  }
  const targets = await dns.resolveCname(name).catch(() => [])
  const isGateway = targets.some((target) => /\.execute-api\.[a-z0-9-]+\.amazonaws\.com$/.test(target))
  if (isGateway && name === plan.stage.domain?.sockets && pushesByDomain(plan.stage))
    return fault(
      `${name} is a CNAME, which leads from the VPC to its endpoint of execute-api`,
      'Set domain.hostedZone, or write an alias record in its place',
    )
  if (isGateway) return ok(`${name} leads to ${targets.join(', ')}`)
  const seen = targets.length > 0 ? `leads to ${targets.join(', ')}` : 'leads nowhere'
  const fix = `Write ${name} CNAME <its DomainTarget output> into your DNS`
  return isInService(deployed)
    ? fault(`${name} ${seen}`, fix)
    : warning(`${name} ${seen}`, `${fix}, after the deployment`)
}

async function checkDomainInUse({ clients, deployed }: CheckContext, name: string): Promise<readonly NewFinding[]> {
  if (isInService(deployed)) return []
  const known = await findOptional(clients.gateway.send(new GetDomainNameCommand({ domainName: name })))
  if (known === undefined) return []
  return [
    fault(
      `API Gateway has the domain name ${name} already`,
      `Choose another name, or: aws apigatewayv2 delete-domain-name --domain-name ${name}`,
    ),
  ]
}
