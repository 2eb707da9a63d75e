import {
  CfnNatGateway,
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  IpProtocol,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { RemovalPolicy } from 'aws-cdk-lib/core'
import { Construct, type IConstruct } from 'constructs'
import type { Placement } from './placement.ts'

const isNatGateway = (construct: IConstruct): construct is CfnNatGateway => construct instanceof CfnNatGateway

/**
 * A VPC in two zones, where functions reach the internet and the database reaches nothing. Without NAT gateways
 * functions reach it over IPv6 alone, by a gateway that lets nothing in and costs nothing.
 */
export class Network extends Construct {
  readonly vpc: IVpc
  readonly databaseGroup: SecurityGroup
  readonly placement: Placement
  /** None where functions reach the internet over IPv6. */
  readonly natGatewayIds: readonly string[]

  constructor(scope: Construct, id: string, { natGateways }: { readonly natGateways: number }) {
    super(scope, id)
    const ipv6 = natGateways === 0
    const vpc = new Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways,
      ...(ipv6 && { ipProtocol: IpProtocol.DUAL_STACK, createInternetGateway: false }),
      subnetConfiguration: [
        // Without NAT gateways its addresses stay unused, so that the other subnets keep theirs when the number
        // changes.
        { name: 'public', subnetType: SubnetType.PUBLIC, cidrMask: 24, mapPublicIpOnLaunch: false, reserved: ipv6 },
        { name: 'functions', subnetType: SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 20 },
        { name: 'database', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 24 },
      ],
      // Traffic to the bucket avoids the NAT gateway and its price.
      gatewayEndpoints: { storage: { service: GatewayVpcEndpointAwsService.S3 } },
    })
    this.#logRefusals(vpc)
    this.natGatewayIds = vpc.node
      .findAll()
      .filter(isNatGateway)
      .map(({ attrNatGatewayId }) => attrNatGatewayId)
    // The class declares optional properties as undefined, which its own interface does not.
    this.vpc = vpc as IVpc
    this.databaseGroup = this.#group('DatabaseGroup', 'the database')
    const functions = this.#group('FunctionsGroup', 'the functions')
    functions.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'the token issuer and the services of AWS')
    functions.connections.allowTo(this.databaseGroup, Port.tcp(5432), 'the database')
    if (ipv6) functions.addEgressRule(Peer.anyIpv6(), Port.tcp(443), 'the token issuer and the services of AWS')
    const vpcSubnets = { subnetGroupName: 'functions' }
    this.placement = { vpc: this.vpc, vpcSubnets, securityGroups: [functions], ipv6AllowedForDualStack: ipv6 }
  }

  #group(id: string, description: string): SecurityGroup {
    return new SecurityGroup(this, id, { vpc: this.vpc, description, allowAllOutbound: false })
  }

  #logRefusals(vpc: Vpc): void {
    const logGroup = new LogGroup(this, 'FlowLogs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    vpc.addFlowLog('Refused', {
      destination: FlowLogDestination.toCloudWatchLogs(logGroup),
      trafficType: FlowLogTrafficType.REJECT,
    })
  }
}
