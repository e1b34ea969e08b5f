import { fileURLToPath } from 'node:url'
import { Stack } from 'aws-cdk-lib'
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { Key } from 'aws-cdk-lib/aws-kms'
import { beforeAll, describe, expect, it } from 'vitest'
import { Sliceflow } from './index.ts'
import { EKS, emptyBundles, resourcesOf, stackOf, statementsOf, testApp } from './template.fixtures.ts'

const ARN = 'arn:aws:kms:eu-west-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef'
const SPEC = fileURLToPath(new URL('../../examples/views/endpoints.yaml', import.meta.url))

interface Condition {
  readonly StringEquals?: Readonly<Record<string, unknown>>
}

describe('a key of one’s own', () => {
  const bundles = emptyBundles()
  let stack: Stack
  let template: Template

  beforeAll(() => {
    stack = new Stack(testApp(bundles), 'Test', { env: { region: 'eu-west-1', account: '123456789012' } })
    new Sliceflow(stack, 'Sliceflow', {
      clusters: [EKS],
      bundles,
      keepState: true,
      canary: true,
      settings: { recording: 'on' },
      encryptionKey: Key.fromKeyArn(stack, 'Key', ARN),
      views: { spec: SPEC, eventBus: EventBus.fromEventBusName(stack, 'Bus', 'views') },
    })
    template = Template.fromStack(stack)
  })

  it.each([
    ['AWS::SQS::Queue', { KmsMasterKeyId: ARN, SqsManagedSseEnabled: Match.absent() }],
    ['AWS::SNS::Topic', { KmsMasterKeyId: ARN }],
    ['AWS::Logs::LogGroup', { KmsKeyId: ARN }],
    ['AWS::Lambda::Function', { KmsKeyArn: ARN }],
    ['AWS::DynamoDB::Table', { SSESpecification: { KMSMasterKeyId: ARN, SSEEnabled: true, SSEType: 'KMS' } }],
    ['AWS::EFS::FileSystem', { KmsKeyId: ARN, Encrypted: true }],
    [
      'AWS::S3::Bucket',
      {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [
            {
              BucketKeyEnabled: true,
              ServerSideEncryptionByDefault: { KMSMasterKeyID: ARN, SSEAlgorithm: 'aws:kms' },
            },
          ],
        },
      },
    ],
  ])('encrypts every %s', (type, properties) => {
    expect(resourcesOf(template, type).length).toBeGreaterThan(0)
    template.allResourcesProperties(type, properties)
  })

  /** Returns what each role may do with the key, and by way of which service. */
  const usesOf = (role: string): string[] =>
    statementsOf(template, role)
      .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('kms:')))
      .map(({ Action, Resource, Condition }) => {
        expect(Resource).toBe(ARN)
        const { StringEquals } = (Condition ?? {}) as Condition
        const via = String(StringEquals?.['kms:ViaService'] ?? 'any service')
        return `${[Action].flat().join()} by ${via.split('.')[0]}`
      })

  const SEND = 'kms:Decrypt,kms:GenerateDataKey by sqs'
  const VARIABLES = 'kms:Decrypt by lambda'
  const TABLE = 'kms:Decrypt,kms:DescribeKey,kms:Encrypt,kms:GenerateDataKey by dynamodb'
  it.each([
    // The event source mapping decrypts, by what CDK grants.
    [
      'ReconcileRoleDefaultPolicy',
      ['kms:Decrypt,kms:GenerateDataKey by s3', SEND, VARIABLES, 'kms:Decrypt by any service'],
    ],
    ['AuditRoleDefaultPolicy', [SEND, VARIABLES]],
    ['RelayTaskRoleDefaultPolicy', [SEND, 'kms:Decrypt,kms:GenerateDataKey by s3']],
    ['ViewPublisherPublishRoleDefaultPolicy', [SEND, TABLE, VARIABLES, 'kms:Decrypt by any service']],
    ['ViewPublisherSweepRoleDefaultPolicy', [SEND, TABLE, VARIABLES]],
    ['CanaryRoleDefaultPolicy', [VARIABLES]],
  ])('may be used by %s for what it does, and for nothing else', (role, uses) => {
    expect([...new Set(usesOf(role))].toSorted()).toEqual([...uses].toSorted())
  })

  const STATEMENTS = [
    {
      Sid: 'SliceflowLogs',
      Effect: 'Allow',
      Principal: { Service: 'logs.eu-west-1.amazonaws.com' },
      Action: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
      Resource: '*',
      Condition: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': expect.stringMatching(
            /^arn:.*:logs:eu-west-1:123456789012:log-group:Test-\*$/,
          ),
        },
      },
    },
    {
      Sid: 'SliceflowAlarms',
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      Resource: '*',
      Condition: { StringEquals: { 'aws:SourceAccount': '123456789012' } },
    },
  ]

  it('whose policy is another’s: a warning says what it must have', () => {
    const [warning, ...others] = Annotations.fromStack(stack).findWarning(
      '*',
      Match.stringLikeRegexp('encryptionKey'),
    )
    expect(others).toEqual([])
    const [what, ...statements] = String(warning?.entry.data).split('\n')
    expect(what).toBe(
      `encryptionKey: the policy of ${ARN} is not this stack's to change. Before you deploy, see that it has:`,
    )
    const text = statements.join('\n').replace(/ \[ack: .*$/, '')
    expect(
      JSON.parse(`[${text.replaceAll(/\{"Fn::Join":\[.*?\]\]\}/g, (join) => JSON.stringify(joined(join)))}]`),
    ).toEqual(STATEMENTS)
  })

  it('of the same app gets these statements, and no others', () => {
    const app = testApp(bundles)
    const keys = new Stack(app, 'Keys', { env: { region: 'eu-west-1', account: '123456789012' } })
    const key = new Key(keys, 'Key', { enableKeyRotation: true })
    const mine = new Stack(app, 'Test', { env: { region: 'eu-west-1', account: '123456789012' } })
    new Sliceflow(mine, 'Sliceflow', { clusters: [EKS], bundles, encryptionKey: key })
    Annotations.fromStack(mine).hasNoWarning('*', Match.anyValue())
    const properties = resourcesOf(Template.fromStack(keys), 'AWS::KMS::Key')[0]?.[1].Properties
    const { Statement: all } = (properties?.KeyPolicy ?? {}) as { Statement: { Sid?: string }[] }
    const [owner, ...others] = all
    expect(JSON.stringify(owner)).toContain(':root')
    expect(
      JSON.parse(
        JSON.stringify(others).replaceAll(/\{"Fn::Join":\[.*?\]\]\}/g, (join) =>
          JSON.stringify(joined(join)),
        ),
      ),
    ).toEqual(STATEMENTS)
  })

  it('is of China, where all names are of its partition, but that of the service in a condition', () => {
    const china = new Stack(testApp(bundles), 'Test', {
      env: { region: 'cn-north-1', account: '123456789012' },
    })
    const encryptionKey = Key.fromKeyArn(china, 'Key', 'arn:aws-cn:kms:cn-north-1:123456789012:key/abc')
    new Sliceflow(china, 'Sliceflow', { clusters: [EKS], bundles, encryptionKey })
    const text = JSON.stringify(Template.fromStack(china).toJSON())
    expect(text).toContain('"kms:ViaService":"sqs.cn-north-1.amazonaws.com"')
    expect(text).not.toContain('arn:aws:')
  })

  it('is not used where none is given', () => {
    expect(JSON.stringify(Template.fromStack(stackOf({ bundles })).toJSON())).not.toContain('kms:')
  })
})

/** Returns the text of a join, with the names of what CloudFormation fills in. */
function joined(text: string): string {
  const [separator, parts] = (JSON.parse(text) as { 'Fn::Join': [string, unknown[]] })['Fn::Join']
  return parts.map((part) => (typeof part === 'string' ? part : 'PARTITION')).join(separator)
}
