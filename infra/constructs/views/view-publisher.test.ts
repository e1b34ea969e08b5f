import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stack } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { HttpNamespace } from 'aws-cdk-lib/aws-servicediscovery'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readSettings, readViewPublisherUrls } from '../../../functions/environment/index.ts'
import { readViewPublisherEnvironment } from '../../../functions/view-publisher/environment.ts'
import { Sliceflow, type ViewsProps } from '../index.ts'
import {
  assetFolder,
  EKS,
  emptyBundles,
  resourcesOf,
  statementsOf,
  testApp,
  variablesOf,
} from '../template.fixtures.ts'

const SPEC = fileURLToPath(new URL('../../../examples/views/endpoints.yaml', import.meta.url))

type Variables = Readonly<Record<string, unknown>>

describe('a deployment that publishes views', () => {
  const bundles = emptyBundles()
  const assets = mkdtempSync(join(tmpdir(), 'sliceflow-assets-'))
  afterAll(() => rmSync(assets, { recursive: true }))
  let template: Template
  let stack: Stack

  beforeAll(() => {
    stack = new Stack(testApp(bundles, assets), 'Test', { env: { region: 'eu-west-1' } })
    new Sliceflow(stack, 'Sliceflow', { clusters: [EKS], bundles, views: viewsOf(stack) })
    template = Template.fromStack(stack)
  })

  const viewsOf = (scope: Stack): ViewsProps => ({
    spec: SPEC,
    operator: 'mine',
    eventBus: EventBus.fromEventBusName(scope, 'Bus', 'views'),
    cloudMapNamespace: HttpNamespace.fromHttpNamespaceAttributes(scope, 'Namespace', {
      namespaceId: 'ns-1',
      namespaceName: 'views',
      namespaceArn: 'arn:aws:servicediscovery:eu-west-1:123456789012:namespace/ns-1',
    }),
  })

  const functionOf = (part: string) => {
    const [found] = resourcesOf(template, 'AWS::Lambda::Function').filter(([id]) => id.includes(part))
    if (found === undefined) throw new Error(`there is no function ${part}`)
    return found[1].Properties as {
      readonly Handler: string
      readonly Code: { readonly S3Key: string }
      readonly Environment: { readonly Variables: Variables }
    }
  }
  const actionsOf = (part: string): string[] =>
    statementsOf(template, `${part}RoleDefaultPolicy`)
      .flatMap(({ Action }) => Action)
      .filter((action) => !action.startsWith('xray:') && !action.startsWith('logs:'))
      .toSorted()
  /**
   * Returns the environment as the function reads it: values that CloudFormation fills in later are texts.
   */
  const environmentOf = (part: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(functionOf(part).Environment.Variables).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : 'https://filled.in/later',
      ]),
    )

  it('replaces the relay, which then sends every key, once the functions have another spec', () => {
    const taskOf = (views: Partial<ViewsProps>): unknown => {
      const other = new Stack(testApp(bundles, assets), 'Test', { env: { region: 'eu-west-1' } })
      new Sliceflow(other, 'Sliceflow', { clusters: [EKS], bundles, views: { ...viewsOf(other), ...views } })
      const of = Template.fromStack(other)
      const [[, service] = []] = resourcesOf(of, 'AWS::ECS::Service')
      expect(service?.DependsOn).toContainEqual(expect.stringMatching(/^SliceflowViewPublisherPublish/))
      return resourcesOf(of, 'AWS::ECS::TaskDefinition')
    }
    const lists = fileURLToPath(new URL('../../../examples/views/endpoint-lists.yaml', import.meta.url))
    expect(taskOf({})).toEqual(taskOf({}))
    expect(taskOf({ spec: lists })).not.toEqual(taskOf({}))
    expect(taskOf({ operator: 'other' })).not.toEqual(taskOf({}))
  })

  it('has a queue of its own with dead letters, and reports failed messages one by one', () => {
    const [[, mapping] = []] = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').filter(([id]) =>
      id.includes('ViewPublisher'),
    )
    expect(mapping?.Properties).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BatchSize: 10,
      ScalingConfig: { MaximumConcurrency: 5 },
    })
    const queues = resourcesOf(template, 'AWS::SQS::Queue').filter(([id]) => id.includes('ViewPublisher'))
    expect(queues.map(([, { Properties }]) => Properties)).toEqual([
      expect.objectContaining({ RedriveAllowPolicy: expect.anything(), MessageRetentionPeriod: 14 * 86_400 }),
      expect.objectContaining({ RedrivePolicy: expect.anything(), VisibilityTimeout: 380 }),
    ])
  })

  it('keeps what is published in a table that outlives it, with backups, encryption and a time to live', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: {
        KeySchema: [
          { AttributeName: 'key', KeyType: 'HASH' },
          { AttributeName: 'sink', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        SSESpecification: { SSEEnabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      },
    })
  })

  it('gives both functions an environment that they can read', () => {
    expect(functionOf('ViewPublisherPublish').Handler).toBe('index.handler')
    expect(functionOf('ViewPublisherSweep').Handler).toBe('index.sweep')
    for (const part of ['ViewPublisherPublish', 'ViewPublisherSweep']) {
      const environment = environmentOf(part)
      expect(readViewPublisherEnvironment(environment)).toMatchObject({
        spec: 'views.yaml',
        operator: 'mine',
        cloudMapNamespace: 'ns-1',
        eventBus: expect.any(String),
      })
      expect(readViewPublisherUrls(environment).queue).toMatch(/^https:/)
      const warn = vi.fn()
      expect(() => readSettings(environment, { warn })).not.toThrow()
      expect(warn).not.toHaveBeenCalled()
    }
    expect(variablesOf(stack, 'ViewPublisherPublish').SLICEFLOW_CLUSTERS).toContain('eu-1')
  })

  it('has the spec beside the code', () => {
    const key = functionOf('ViewPublisherSweep').Code.S3Key.replace(/\.zip$/, '')
    const folder = assetFolder(stack, key)
    expect(readFileSync(join(folder, 'views.yaml'), 'utf8')).toBe(readFileSync(SPEC, 'utf8'))
    expect(readFileSync(join(folder, 'index.mjs'), 'utf8')).toContain('viewPublish')
  })

  it('has the relay feed the queue', () => {
    template.hasResourceProperties('AWS::ECS::TaskDefinition', {
      ContainerDefinitions: [
        Match.objectLike({
          Environment: Match.arrayWith([Match.objectLike({ Name: 'SLICEFLOW_VIEW_PUBLISHER_QUEUE_URL' })]),
        }),
      ],
    })
    const [[queue = ''] = []] = resourcesOf(template, 'AWS::SQS::Queue').filter(([id]) =>
      id.includes('ViewPublisherKeysQueue'),
    )
    const sends = statementsOf(template, 'RelayTaskRole').filter(({ Action }) => Action === 'sqs:SendMessage')
    expect(JSON.stringify(sends)).toContain(`"${queue}"`)
  })

  it('lets the function do what it does, and the sweep far less', () => {
    expect(actionsOf('ViewPublisherPublish')).toEqual([
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'eks:DescribeCluster',
      'events:PutEvents',
      'servicediscovery:CreateService',
      'servicediscovery:DeregisterInstance',
      'servicediscovery:GetOperation',
      'servicediscovery:ListInstances',
      'servicediscovery:ListServices',
      'servicediscovery:RegisterInstance',
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:GetQueueUrl',
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
    ])
    expect(actionsOf('ViewPublisherSweep')).toEqual(['dynamodb:Scan', 'sqs:SendMessage'])
    const policy = 'ViewPublisherPublishRoleDefaultPolicy'
    const wide = statementsOf(template, policy).filter(({ Resource }) => Resource === '*')
    expect(wide.flatMap(({ Action }) => Action).filter((action) => !action.startsWith('xray:'))).toEqual([
      'servicediscovery:GetOperation',
      'servicediscovery:ListServices',
    ])
  })

  describe('is refused in one line', () => {
    const deploy = (views: (scope: Stack) => ViewsProps) => () => {
      const scope = new Stack(testApp(bundles), 'Test')
      return new Sliceflow(scope, 'Sliceflow', { clusters: [EKS], bundles, views: views(scope) })
    }
    const fileOf = (text: string): string => {
      const file = join(assets, 'spec.yaml')
      writeFileSync(file, text)
      return file
    }

    it('without a sink', () => {
      expect(deploy(() => ({ spec: SPEC }))).toThrow(/^views: need somewhere to go; give an eventBus/)
    })

    it('without a spec', () => {
      expect(deploy((scope) => ({ ...viewsOf(scope), spec: '/nowhere.yaml' }))).toThrow(
        /^views.spec: cannot read \/nowhere.yaml: .*; give the path/,
      )
    })

    it.each([
      ['that is none', 'controllers: []\n', /^views.spec: .*expected a list of controllers[^\n]*$/],
      [
        'that reads what the function does not',
        readFileSync(SPEC, 'utf8').replaceAll('kind: Service', 'kind: Secret'),
        /^views.spec: .*reads Secret, which is neither[^\n]*$/,
      ],
    ])('with a spec %s', (_, text, problem) => {
      expect(deploy((scope) => ({ ...viewsOf(scope), spec: fileOf(text) }))).toThrow(problem)
    })
  })
})
