import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { acceptRisk } from '../accept-risk.ts'

/** The database of the service on a server that a stage creates. */
export const databaseName = 'table_control'

/** The role that owns the tables. */
export const ownerRole = 'table_control_owner'

/** A role of the database, and the secret that holds its password. */
export interface DatabaseLogin {
  readonly role: string
  readonly secret: ISecret
}

/** Creates a secret of the form that RDS and its query editor read: `{"username", "password"}`. */
export function createLogin(scope: Construct, id: string, role: string): DatabaseLogin {
  const secret = new Secret(scope, id, {
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ username: role }),
      generateStringKey: 'password',
      passwordLength: 40,
      // The password becomes part of a URL as it is.
      excludePunctuation: true,
    },
  })
  acceptRisk(secret, 'AwsSolutions-SMG4', 'Functions get it by deployment; RUNBOOK.md says how it is changed')
  return { role, secret: secret as ISecret }
}

const firstServiceRole = 'table_control_service'

/**
 * Creates the login of the functions, with a secret for each role: CloudFormation generates another password when the
 * role of a secret changes, and again when it rolls back, so that no function could log in any more.
 */
export const createServiceLogin = (scope: Construct, role: string): DatabaseLogin =>
  createLogin(scope, role === firstServiceRole ? 'ServiceSecret' : `ServiceSecret-${role}`, role)

/**
 * The URL of a login. Only the password is a reference to the secret: CloudFormation takes 60 references in a template,
 * and each function has this one.
 */
export function loginUrl({ role, secret }: DatabaseLogin, host: string): string {
  const password = secret.secretValueFromJson('password').unsafeUnwrap()
  return `postgres://${role}:${password}@${host}:5432/${databaseName}`
}
