import { DomainName, SecurityPolicy } from 'aws-cdk-lib/aws-apigatewayv2'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53'
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets'
import { Annotations, CfnOutput } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import { pushesByDomain, type Stage } from '../settings/stage-settings.ts'

/**
 * The stage's own name for an API, with its record where the zone is known, or an output that says what to write there.
 */
export function publicName(scope: Construct, stage: Stage, of: 'http' | 'sockets') {
  const { domain } = stage
  if (domain === undefined) return {}
  const name = domain[of]
  warnOfHost(scope, name)
  const domainName = new DomainName(scope, 'Domain', {
    domainName: name,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', domain.certificateArn),
    securityPolicy: SecurityPolicy.TLS_1_2,
  })
  const { regionalDomainName, regionalHostedZoneId } = domainName
  if (domain.hostedZone === undefined) {
    // From such a VPC, a CNAME leads to the endpoint, because the target is a name of API Gateway.
    const record = of === 'sockets' && pushesByDomain(stage) ? 'an alias record, not a CNAME' : 'CNAME'
    new CfnOutput(scope, 'DomainTarget', {
      value: regionalDomainName,
      description: `Where ${name} must point to (${record})`,
    })
  } else {
    const { id: hostedZoneId, name: zoneName } = domain.hostedZone
    const zone = HostedZone.fromHostedZoneAttributes(scope, 'Zone', { hostedZoneId, zoneName })
    const target = RecordTarget.fromAlias(new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId))
    new ARecord(scope, 'Record', { zone, recordName: `${name}.`, target })
  }
  return { domainMapping: { domainName } }
}

function warnOfHost(scope: Construct, name: string): void {
  if (!name.startsWith('api.')) return
  const message = `${name} starts with "api.", which some clients rewrite; choose another host or actionUrls: 'relative'`
  Annotations.of(scope).addWarningV2('table-control:host-name', message)
}
