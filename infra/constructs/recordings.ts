import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { Grant, type IGrantable, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { VARIABLES } from '../../functions/environment/index.ts'
import { RECORDINGS_PREFIX } from '../../shared/recording/index.ts'
import type { DeploymentSettings } from '../settings/index.ts'
import { allowKey, KEY_WRITES } from './encryption.ts'
import { accept } from './findings.ts'

interface RecordingsProps {
  readonly settings: DeploymentSettings
  /** Default: a key of S3’s own. */
  readonly encryptionKey?: IKey | undefined
}

/** The bucket of recordings: it outlives the deployment, and deletes objects after `recordingRetention`. */
export class Recordings extends Construct {
  readonly bucket: Bucket

  constructor(scope: Construct, id: string, { settings, encryptionKey }: RecordingsProps) {
    super(scope, id)
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      ...(encryptionKey
        ? { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [
        {
          expiration: Duration.days(settings.recordingRetention),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
    })
    accept(this.bucket, {
      'AwsSolutions-S1':
        'it is written by this deployment alone; a log of who reads it would be larger than it is',
    })
  }

  /** Returns the URL that `sliceflow history --from` takes. */
  get url(): string {
    return `s3://${this.bucket.bucketName}/${RECORDINGS_PREFIX}`
  }

  /** Returns the variables that those who record need; none where nothing is recorded. */
  static environment(recordings: Recordings | undefined): Record<string, string> {
    return recordings === undefined ? {} : { [VARIABLES.recordings]: recordings.bucket.bucketName }
  }

  /** Grants storing recordings, but neither reading nor deleting them. */
  grantStore(role: Role): void {
    role.addToPolicy(
      new PolicyStatement({
        actions: ['s3:PutObject'],
        resources: [this.bucket.arnForObjects(`${RECORDINGS_PREFIX}*`)],
      }),
    )
    allowKey(role, this.bucket.encryptionKey, { service: 's3', actions: KEY_WRITES })
    const bucket = Stack.of(this).getLogicalId(this.bucket.node.defaultChild as CfnBucket)
    accept(role.node.findChild('DefaultPolicy'), {
      [`AwsSolutions-IAM5[Resource::<${bucket}.Arn>/${RECORDINGS_PREFIX}*]`]:
        'objects are named by day, cluster and a number: each is new',
    })
  }

  grantRead(grantee: IGrantable): Grant {
    allowKey(grantee, this.bucket.encryptionKey, { service: 's3', actions: ['kms:Decrypt'] })
    const objects = this.bucket.arnForObjects(`${RECORDINGS_PREFIX}*`)
    return Grant.addToPrincipal({
      grantee,
      actions: ['s3:GetObject'],
      resourceArns: [objects],
    }).combine(
      Grant.addToPrincipal({ grantee, actions: ['s3:ListBucket'], resourceArns: [this.bucket.bucketArn] }),
    )
  }
}
