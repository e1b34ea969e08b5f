import { RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'

/**
 * Creates the table of the published views of each Service, and of changes that may not be sent yet. It
 * outlives
 * the deployment, as it lists what must be removed from the readers of the bus.
 */
export function createViewsTable(scope: Construct, id: string, encryptionKey?: IKey): Table {
  return new Table(scope, id, {
    partitionKey: { name: 'key', type: AttributeType.STRING },
    sortKey: { name: 'part', type: AttributeType.STRING },
    timeToLiveAttribute: 'expiresAt',
    billingMode: BillingMode.PAY_PER_REQUEST,
    ...(encryptionKey
      ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }
      : { encryption: TableEncryption.AWS_MANAGED }),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy: RemovalPolicy.RETAIN,
  })
}
