import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { StageSettings } from '../../infra/settings/stage-settings.ts'
import { stageNamed } from '../../infra/stages.ts'
import { fullStage, referredTo, synthesize } from '../support/infra/synthesized-stack.ts'

const stack = synthesize(fullStage)
const { name: _, ...personalSettings } = stageNamed('personal')
/** On a single instance, without NAT gateways. */
const single = synthesize(personalSettings as StageSettings)

describe('the network of a database', () => {
  const rule = z.object({
    IpProtocol: z.string(),
    FromPort: z.number(),
    ToPort: z.number(),
    CidrIp: z.string().optional(),
    CidrIpv6: z.string().optional(),
    GroupId: z.unknown().optional(),
    SourceSecurityGroupId: z.unknown().optional(),
    DestinationSecurityGroupId: z.unknown().optional(),
  })
  const group = z.object({
    GroupDescription: z.string(),
    SecurityGroupIngress: z.array(rule).default([]),
    SecurityGroupEgress: z.array(rule),
  })
  const describeRule = ({ IpProtocol, FromPort, ToPort, CidrIp, CidrIpv6, ...groups }: z.output<typeof rule>) => {
    const { GroupId, SourceSecurityGroupId: from, DestinationSecurityGroupId: to } = groups
    const ends = GroupId === undefined ? [] : from === undefined ? [GroupId, to] : [from, GroupId]
    const names = ends.map((end) => /(Database|Functions)Group/.exec(referredTo(end))?.[0])
    return [IpProtocol, `${FromPort}-${ToPort}`, CidrIp ?? CidrIpv6 ?? names.join(' > ')].join(' ')
  }

  it.each([
    ['NAT gateways', stack, ['tcp 443-443 0.0.0.0/0']],
    ['IPv6', single, ['tcp 443-443 0.0.0.0/0', 'tcp 443-443 ::/0']],
  ] as const)(
    'lets functions reach the database and others by HTTPS over %s, and lets nothing else in or out',
    (_name, of, reached) => {
      const groups = [...of.listResources('AWS::EC2::SecurityGroup', group).values()].map((one) => [
        one.GroupDescription,
        one.SecurityGroupIngress,
        one.SecurityGroupEgress.map(describeRule),
      ])
      expect(Object.fromEntries(groups.map(([name, ...rules]) => [name, rules]))).toEqual({
        'the functions': [[], reached],
        // Stands for no rule, without which all would be allowed.
        'the database': [[], ['icmp 252-86 255.255.255.255/32']],
      })
      for (const type of ['AWS::EC2::SecurityGroupIngress', 'AWS::EC2::SecurityGroupEgress'])
        expect([...of.listResources(type, rule).values()].map(describeRule)).toEqual([
          'tcp 5432-5432 FunctionsGroup > DatabaseGroup',
        ])
    },
  )

  it('has no way out of the subnets of the database, and no public address but those of NAT gateways', () => {
    const subnets = z.object({ SubnetIds: z.array(z.unknown()) })
    const [ids = []] = [...stack.listResources('AWS::RDS::DBSubnetGroup', subnets).values()].map((one) => one.SubnetIds)
    expect(ids.map(referredTo)).toEqual(Array(2).fill(expect.stringContaining('databaseSubnet')))
    const routes = [...stack.listResources('AWS::EC2::Route', z.unknown()).keys()]
    expect(routes.filter((id) => id.includes('databaseSubnet'))).toEqual([])
    expect(routes).toHaveLength(4)
    stack.template.allResourcesProperties('AWS::EC2::Subnet', { MapPublicIpOnLaunch: false })
  })

  it('logs what it refuses, and reaches the bucket without a NAT gateway', () => {
    expect(() => {
      stack.template.hasResourceProperties('AWS::EC2::FlowLog', { TrafficType: 'REJECT', ResourceType: 'VPC' })
      stack.template.hasResourceProperties('AWS::EC2::VPCEndpoint', { VpcEndpointType: 'Gateway' })
    }).not.toThrow()
  })
})
