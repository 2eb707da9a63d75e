import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Fn, Stack } from 'aws-cdk-lib/core'
import { Construct, type IConstruct } from 'constructs'
import type { CreatedDatabase, ExistingDatabaseSettings, InstanceDatabase } from '../../settings/stage-settings.ts'
import { acceptRisk } from '../accept-risk.ts'
import { Network } from '../network.ts'
import type { Placement } from '../placement.ts'
import { createLogin, createServiceLogin, type DatabaseLogin, loginUrl, ownerRole } from './database-logins.ts'
import { amazonRoots } from './rds-roots.ts'

/** How functions reach a database; see lib/config.ts for the two texts. */
export interface Database extends Construct {
  /** Resolved when it is deployed: the template holds the secret's name and nothing of its value. */
  readonly url: string
  readonly authority: string | undefined
  /** The same for the login that owns the tables; `undefined` if migrations run outside of the deployment. */
  readonly ownerUrl: string | undefined
  /** Changes with the login of the functions and with the server. */
  readonly loginIdentity: Readonly<Record<string, string>>
  /** `undefined` outside of any VPC. */
  readonly placement: Placement | undefined
}

/** The parameters of a server that the stage creates. */
export const serverParameters = {
  'rds.force_ssl': '1',
  // Its log otherwise has the whole row that breaks a constraint, as the detail of the error.
  log_error_verbosity: 'terse',
}

/** A database that the stage creates, with its logins and its network. */
export abstract class CreatedServer extends Construct implements Database {
  readonly authority = amazonRoots
  readonly network: Network
  readonly placement: Placement
  readonly ownerLogin: DatabaseLogin
  /** Login of the functions, by a role that owns nothing. */
  readonly serviceLogin: DatabaseLogin
  abstract readonly host: string

  constructor(scope: Construct, id: string, settings: CreatedDatabase | InstanceDatabase) {
    super(scope, id)
    this.network = new Network(this, 'Network', settings)
    this.placement = this.network.placement
    this.ownerLogin = createLogin(this, 'OwnerSecret', ownerRole)
    this.serviceLogin = createServiceLogin(this, settings.serviceRole)
  }

  get url(): string {
    return loginUrl(this.serviceLogin, this.host)
  }

  get ownerUrl(): string {
    return loginUrl(this.ownerLogin, this.host)
  }

  get loginIdentity(): Database['loginIdentity'] {
    return { Login: this.serviceLogin.secret.secretArn, Server: this.host }
  }
}

export interface CreatedDatabaseProps<Settings> {
  readonly settings: Settings
  readonly deletionProtection: boolean
}

/** Accepts that a database can be deleted: CloudFormation could not roll back a first deployment otherwise. */
export function acceptDeletion(database: IConstruct): void {
  acceptRisk(database, 'AwsSolutions-RDS10', 'The stage has not turned deletionProtection on; a snapshot stays')
}

/** A database that was there before; what is in it is changed only with its owner's login. */
export class ExistingDatabase extends Construct implements Database {
  readonly url: string
  readonly authority: string | undefined
  readonly ownerUrl: string | undefined
  readonly loginIdentity: Database['loginIdentity']
  readonly placement: Placement | undefined

  constructor(scope: Construct, id: string, { secretArn, ownerSecretArn, authority, vpc }: ExistingDatabaseSettings) {
    super(scope, id)
    this.url = this.#urlIn('Secret', secretArn)
    this.ownerUrl = ownerSecretArn && this.#urlIn('OwnerSecret', ownerSecretArn)
    this.loginIdentity = { Login: secretArn }
    this.authority = authority === 'amazon' ? amazonRoots : undefined
    this.placement = vpc && this.#placementIn(vpc)
  }

  #urlIn(id: string, secretArn: string): string {
    return Secret.fromSecretCompleteArn(this, id, secretArn).secretValueFromJson('url').unsafeUnwrap()
  }

  #placementIn({ id, subnetIds, securityGroupId }: NonNullable<ExistingDatabaseSettings['vpc']>): Placement {
    // Which zones they are in does not matter to Lambda, and to ask would need an account.
    const availabilityZones = subnetIds.map((_, index) => Fn.select(index, Fn.getAzs(Stack.of(this).region)))
    const vpc = Vpc.fromVpcAttributes(this, 'Vpc', {
      vpcId: id,
      availabilityZones,
      privateSubnetIds: [...subnetIds],
    })
    const group = SecurityGroup.fromSecurityGroupId(this, 'Group', securityGroupId, { mutable: false })
    return {
      vpc,
      vpcSubnets: { subnets: vpc.privateSubnets },
      securityGroups: [group],
      ipv6AllowedForDualStack: false,
    }
  }
}
