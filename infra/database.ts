import { Fn, Stack } from 'aws-cdk-lib'
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import type { Placement } from './placement.ts'
import type { BroughtDatabase } from './stage-settings.ts'

/** How functions reach a database; see lib/config.ts for the two texts. */
export interface Database extends Construct {
  /** Resolved when it is deployed: the template holds the secret's name and nothing of its value. */
  readonly url: string
  readonly authority: string | undefined
  /** The same for the login that owns the tables; `undefined` where migrations are somebody else's. */
  readonly ownerUrl: string | undefined
  /** `undefined` outside of any VPC. */
  readonly placement: Placement | undefined
}

/** The authorities that sign the certificates of RDS, as a file of Lambda's runtime. */
export const amazonAuthority = '/var/runtime/ca-cert.pem'

/** A database that was there before; what is in it is changed only with its owner's login. */
export class DatabaseBrought extends Construct implements Database {
  readonly url: string
  readonly authority: string | undefined
  readonly ownerUrl: string | undefined
  readonly placement: Placement | undefined

  constructor(scope: Construct, id: string, { secretArn, ownerSecretArn, authority, vpc }: BroughtDatabase) {
    super(scope, id)
    this.url = this.#urlIn('Secret', secretArn)
    this.ownerUrl = ownerSecretArn && this.#urlIn('OwnerSecret', ownerSecretArn)
    this.authority = authority === 'amazon' ? amazonAuthority : undefined
    this.placement = vpc && this.#placementIn(vpc)
  }

  #urlIn(id: string, secretArn: string): string {
    return Secret.fromSecretCompleteArn(this, id, secretArn).secretValueFromJson('url').unsafeUnwrap()
  }

  #placementIn({ id, subnetIds, securityGroupId }: NonNullable<BroughtDatabase['vpc']>): Placement {
    // Which zones they are in does not matter to Lambda, and to ask would need an account.
    const availabilityZones = subnetIds.map((_, index) => Fn.select(index, Fn.getAzs(Stack.of(this).region)))
    const vpc = Vpc.fromVpcAttributes(this, 'Vpc', {
      vpcId: id,
      availabilityZones,
      privateSubnetIds: [...subnetIds],
    })
    const group = SecurityGroup.fromSecurityGroupId(this, 'Group', securityGroupId, { mutable: false })
    return { vpc, vpcSubnets: { subnets: vpc.privateSubnets }, securityGroups: [group] }
  }
}
