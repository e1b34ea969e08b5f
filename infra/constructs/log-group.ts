import { RemovalPolicy } from 'aws-cdk-lib'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { DeploymentSettings } from '../settings/index.ts'

/** Logs have the retention of the setting, and are deleted with the deployment. */
export function createLogGroup(
  scope: Construct,
  id: string,
  { logRetention, name }: Pick<DeploymentSettings, 'logRetention'> & { readonly name?: string },
  encryptionKey?: IKey,
): LogGroup {
  // RetentionDays is an enum of these very numbers, and the setting has been checked.
  return new LogGroup(scope, id, {
    retention: logRetention as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(name !== undefined && { logGroupName: name }),
    ...(encryptionKey && { encryptionKey }),
  })
}
