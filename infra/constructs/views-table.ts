import { RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'

/**
 * Creates the table of what is published of each Service, and of the changes that are not known to be sent.
 * It outlives the deployment: without it nobody would know what has to be taken back from the bus’s readers.
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
