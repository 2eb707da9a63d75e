import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3'
import { Aws, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { maxFileDays } from '../../lib/config.ts'
import { acceptRisk } from './accept-risk.ts'
import { statement } from './policy-statement.ts'
import type { TableFunction } from './table-function.ts'

/**
 * The files behind links. The sweep removes a file with its last link; the bucket removes what the sweep has missed.
 */
export class Reports extends Construct {
  readonly bucket: Bucket

  constructor(scope: Construct, id: string) {
    super(scope, id)
    this.bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // Reports stay behind when a stack goes, but not when its first deployment fails.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      lifecycleRules: [
        { id: 'expire', expiration: Duration.days(maxFileDays + 2) },
        // Files that are sent back are read within minutes, and removed then.
        { id: 'imports', prefix: 'imports/', expiration: Duration.days(1) },
        { id: 'unfinished', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      // A page is led here from our own host, which makes its origin `null`; the link is the secret, not the origin.
      cors: [
        {
          allowedMethods: [HttpMethods.GET, HttpMethods.HEAD],
          allowedOrigins: ['*'],
          // The typed client names the file by it.
          exposedHeaders: ['content-disposition'],
          maxAge: 7_200,
        },
        // A page uploads a file that is sent back. The signature is the secret here, too.
        {
          allowedMethods: [HttpMethods.PUT],
          allowedOrigins: ['*'],
          allowedHeaders: ['content-type'],
          maxAge: 7_200,
        },
      ],
    })
    acceptRisk(
      this.bucket,
      'AwsSolutions-S1',
      'Access logs would keep signed URLs, which are secrets; downloads are logged',
    )
  }

  /** The origins of the URLs that a function signs: in a network with IPv6 they have another host. */
  get uploadOrigins(): readonly string[] {
    return ['s3', 's3.dualstack'].map(
      (host) => `https://${this.bucket.bucketName}.${host}.${Aws.REGION}.${Aws.URL_SUFFIX}`,
    )
  }

  grantWrite(writer: TableFunction): void {
    this.#allow(writer, ['s3:PutObject', 's3:AbortMultipartUpload'])
  }

  grantRead(reader: TableFunction): void {
    this.#allow(reader, ['s3:GetObject'])
  }

  grantRemove(remover: TableFunction): void {
    this.#allow(remover, ['s3:DeleteObject'])
  }

  #allow(user: TableFunction, actions: readonly string[]): void {
    user.allow(statement(actions, [this.bucket.arnForObjects('*')]))
    const id = Stack.of(this).getLogicalId(this.bucket.node.defaultChild as CfnBucket)
    const finding = `AwsSolutions-IAM5[Resource::<${id}.Arn>/*]`
    acceptRisk(user.role ?? user, finding, 'The names of files are random; all files of this bucket are of one kind')
  }
}
