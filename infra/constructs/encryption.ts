import { Annotations, Arn, ArnFormat, Stack, Token } from 'aws-cdk-lib'
import { type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { RegionInfo } from 'aws-cdk-lib/region-info'
import type { Construct } from 'constructs'

/** Actions on a key that sending to a queue, or storing an object in S3, needs. */
export const KEY_WRITES = ['kms:Decrypt', 'kms:GenerateDataKey']
/** Actions on a key that reading and writing a table of DynamoDB needs. */
export const KEY_OF_TABLE = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey']

/**
 * Allows a grantee to use a key through one service only; does nothing without a key. KMS names services by
 * `amazonaws.com` in every partition, also where their own domain is another one.
 */
export function allowKey(
  grantee: IGrantable,
  key: IKey | undefined,
  { service, actions }: { readonly service: string; readonly actions: readonly string[] },
): void {
  if (key === undefined) return
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: [...actions],
      resources: [key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `${service}.${key.env.region}.amazonaws.com` } },
    }),
  )
}

/**
 * Lets CloudWatch encrypt the log groups of this stack, and its alarms publish to the topics. Of a key that
 * is not of this app the policy cannot be changed: then a warning says what it must have.
 */
export function letCloudWatchUse(key: IKey, scope: Construct): void {
  const statements = keyPolicy(scope, key)
  const isTheirs = statements
    .map((statement) => key.addToResourcePolicy(statement, true).statementAdded)
    .includes(false)
  if (!isTheirs) return
  const needed = statements.map((statement) =>
    JSON.stringify(Stack.of(scope).resolve(statement.toStatementJson())),
  )
  Annotations.of(scope).addWarningV2(
    'sliceflow:key-policy',
    `encryptionKey: the policy of ${key.keyArn} is not this stack's to change. Before you deploy, see that it has:\n${needed.join(',\n')}`,
  )
}

/** Returns the domain of AWS' services in a region of any partition. */
const domainSuffix = (scope: Construct, region: string): string =>
  (Token.isUnresolved(region) ? undefined : RegionInfo.get(region).domainSuffix) ?? Stack.of(scope).urlSuffix

function keyPolicy(scope: Construct, { keyArn, env: { region, account } }: IKey): PolicyStatement[] {
  const { stackName, partition: ofStack } = Stack.of(scope)
  // A key that is made cannot name itself in its policy.
  const partition = Token.isUnresolved(keyArn)
    ? ofStack
    : Arn.split(keyArn, ArnFormat.SLASH_RESOURCE_NAME).partition
  // CloudFormation begins the names of what it makes with the stack's.
  const logGroups = Token.isUnresolved(stackName) ? '*' : `${stackName}-*`
  return [
    new PolicyStatement({
      sid: 'SliceflowLogs',
      principals: [new ServicePrincipal(`logs.${region}.${domainSuffix(scope, region)}`)],
      actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
      resources: ['*'],
      conditions: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:${logGroups}`,
        },
      },
    }),
    new PolicyStatement({
      sid: 'SliceflowAlarms',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  ]
}
