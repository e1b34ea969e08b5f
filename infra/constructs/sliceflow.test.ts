import { existsSync } from 'node:fs'
import { Match, type Template } from 'aws-cdk-lib/assertions'
import { beforeAll, describe, expect, it } from 'vitest'
import { readSettings } from '../../functions/deployed/index.ts'
import { readRoles } from '../../test/end-to-end/cluster-role.ts'
import { kubernetesGroup } from './index.ts'
import {
  EKS,
  ELSEWHERE,
  emptyBundles,
  type Resource,
  resourcesOf,
  SEARCH,
  SECRET,
  stackOf,
  templateOf,
} from './template.fixtures.ts'

const RUNBOOKS = new URL('../runbooks/', import.meta.url)

type Document = { readonly Statement: readonly Readonly<Record<'Action' | 'Resource', unknown>>[] }
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** Kubernetes groups of access entries by the role that they are of. */
const groupsOf = (template: Template): Record<string, unknown> =>
  Object.fromEntries(
    resourcesOf(template, 'AWS::EKS::AccessEntry').map(([, { Properties }]) => {
      const { PrincipalArn, KubernetesGroups } = Properties as {
        PrincipalArn: { 'Fn::GetAtt': [string] }
        KubernetesGroups: unknown
      }
      return [/Sliceflow(\w+?)[0-9A-F]{8}/.exec(PrincipalArn['Fn::GetAtt'][0])?.[1] ?? '', KubernetesGroups]
    }),
  )

/** What may be done to everything, and why. */
const STATED: Readonly<Record<string, string>> = {
  'xray:PutTraceSegments,xray:PutTelemetryRecords': 'X-Ray knows no resources',
  'ecr:GetAuthorizationToken': 'ECR’s tokens are for the whole registry',
}

describe('a deployment', () => {
  const bundles = emptyBundles()
  let template: Template

  beforeAll(() => {
    template = templateOf({ bundles, clusters: [EKS, SECRET, ELSEWHERE] })
  })
  const of = (type: string): [string, Resource][] => resourcesOf(template, type)

  describe('has queues', () => {
    it('with dead letters for each that is not such itself', () => {
      const queues = of('AWS::SQS::Queue')
      const withLetters = queues.filter(([, { Properties }]) => Properties.RedrivePolicy !== undefined)
      const targets = withLetters.map(
        ([, { Properties }]) =>
          (Properties.RedrivePolicy as { deadLetterTargetArn: { 'Fn::GetAtt': [string] } })
            .deadLetterTargetArn['Fn::GetAtt'][0],
      )
      expect(withLetters).toHaveLength(2)
      expect(queues.map(([id]) => id).toSorted()).toEqual(
        [...withLetters.map(([id]) => id), ...targets].toSorted(),
      )
      for (const target of targets)
        expect(queues.find(([id]) => id === target)?.[1].Properties.MessageRetentionPeriod).toBe(14 * 86_400)
    })

    it('whose dead letters take messages of their own queue only', () => {
      const queues = of('AWS::SQS::Queue')
      for (const [id, { Properties }] of queues.filter(([, one]) => one.Properties.RedrivePolicy)) {
        const { deadLetterTargetArn } = Properties.RedrivePolicy as {
          deadLetterTargetArn: { 'Fn::GetAtt': [string] }
        }
        const letters = queues.find(([other]) => other === deadLetterTargetArn['Fn::GetAtt'][0])?.[1]
        const { redrivePermission, sourceQueueArns } = (letters?.Properties.RedriveAllowPolicy ?? {}) as {
          redrivePermission?: string
          sourceQueueArns?: unknown[]
        }
        expect([id, redrivePermission, sourceQueueArns?.length]).toEqual([id, 'byQueue', 1])
        expect(JSON.stringify(sourceQueueArns?.[0])).toContain(`:${Properties.QueueName}"`)
      }
    })

    it.each([undefined, 7])(
      'that give a message up after as many receives as the function believes: %s',
      (count) => {
        const settings = count === undefined ? {} : { maxReceiveCount: count }
        const given = templateOf({ bundles, clusters: [EKS], settings })
        const [believed, ...others] = resourcesOf(given, 'AWS::Lambda::Function').map(
          ([, { Properties }]) => {
            const { Variables } = Properties.Environment as { Variables: Record<string, string> }
            return readSettings(Variables).maxReceiveCount
          },
        )
        const policies = resourcesOf(given, 'AWS::SQS::Queue').flatMap(
          ([, { Properties }]) => (Properties.RedrivePolicy as { maxReceiveCount: number } | undefined) ?? [],
        )
        expect([...others, ...policies.map(({ maxReceiveCount }) => maxReceiveCount)]).toEqual([
          believed,
          believed,
          believed,
        ])
        expect(believed).toBe(count ?? 12)
      },
    )

    it('that keep messages invisible for 6 × the time limit + window + 20 s', () => {
      const visibilities = of('AWS::SQS::Queue').flatMap(
        ([, { Properties }]) => Properties.VisibilityTimeout ?? [],
      )
      expect(visibilities).toEqual([6 * 60 + 0 + 20, 6 * 60 + 20 + 20])
    })

    it('that are encrypted and take TLS only', () => {
      for (const [, { Properties }] of of('AWS::SQS::Queue'))
        expect(Properties.SqsManagedSseEnabled).toBe(true)
      expect(of('AWS::SQS::QueuePolicy')).toHaveLength(4)
      template.allResourcesProperties('AWS::SQS::QueuePolicy', {
        PolicyDocument: Match.objectLike({
          Statement: Match.arrayWith([
            Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          ]),
        }),
      })
    })

    it('that are standard ones: FIFO deduplication would drop changes', () => {
      template.allResourcesProperties('AWS::SQS::Queue', { FifoQueue: Match.absent() })
    })
  })

  describe('has event source mappings', () => {
    it('that report failed messages one by one', () => {
      expect(of('AWS::Lambda::EventSourceMapping')).toHaveLength(2)
      template.allResourcesProperties('AWS::Lambda::EventSourceMapping', {
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      })
    })

    it('with a batch, a window and a concurrency of each lane', () => {
      const mappings = of('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => [
        Properties.BatchSize,
        Properties.MaximumBatchingWindowInSeconds,
        Properties.ScalingConfig,
      ])
      expect(mappings).toEqual([
        [10, undefined, { MaximumConcurrency: 5 }],
        [100, 20, { MaximumConcurrency: 2 }],
      ])
    })
  })

  it('has functions on ARM64 and Node.js 24 that trace, log JSON and keep logs for a time', () => {
    expect(of('AWS::Lambda::Function')).toHaveLength(2)
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: Match.objectLike({ LogFormat: 'JSON' }),
      Environment: { Variables: Match.objectLike({ NODE_OPTIONS: '--enable-source-maps' }) },
    })
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 })
  })

  it('has a schedule that calls the resync function every ten minutes', () => {
    template.hasResourceProperties('AWS::Scheduler::Schedule', { ScheduleExpression: 'rate(10 minutes)' })
  })

  describe('has a relay', () => {
    it('that runs as nobody, on a file system that it cannot write, with time to send what waits', () => {
      template.hasResourceProperties('AWS::ECS::TaskDefinition', {
        RuntimePlatform: { CpuArchitecture: 'ARM64', OperatingSystemFamily: 'LINUX' },
        ContainerDefinitions: [
          Match.objectLike({
            User: '1000',
            ReadonlyRootFilesystem: true,
            StopTimeout: 120,
            HealthCheck: Match.anyValue(),
          }),
        ],
      })
    })

    it('that ends before its successor starts, and goes back when that does not', () => {
      template.hasResourceProperties('AWS::ECS::Service', {
        DesiredCount: 1,
        AvailabilityZoneRebalancing: 'DISABLED',
        DeploymentConfiguration: Match.objectLike({
          MinimumHealthyPercent: 0,
          MaximumPercent: 100,
          DeploymentCircuitBreaker: { Enable: true, Rollback: true },
        }),
      })
    })

    it('in a VPC of its own without a NAT gateway, where nothing comes in', () => {
      template.resourceCountIs('AWS::EC2::VPC', 1)
      template.resourceCountIs('AWS::EC2::NatGateway', 0)
      template.allResourcesProperties('AWS::EC2::SecurityGroup', { SecurityGroupIngress: Match.absent() })
      template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0)
    })
  })

  describe('lets nobody do more than is needed', () => {
    it('to everything only where AWS knows no resources', () => {
      const wide = of('AWS::IAM::Policy').flatMap(([, { Properties }]) =>
        (Properties.PolicyDocument as Document).Statement.filter(({ Resource }) =>
          asList(Resource).some((one) => typeof one === 'string' && one.includes('*')),
        ).map(({ Action }) => asList(Action).join()),
      )
      expect([...new Set(wide)].toSorted()).toEqual(Object.keys(STATED).toSorted())
    })

    it('and no action by a wildcard', () => {
      const actions = of('AWS::IAM::Policy').flatMap(([, { Properties }]) =>
        (Properties.PolicyDocument as Document).Statement.flatMap(({ Action }) => asList(Action)),
      )
      expect(actions.filter((action) => String(action).includes('*'))).toEqual([])
    })

    it('with managed policies of AWS', () => {
      template.allResourcesProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() })
    })

    it('describes EKS clusters of the list, reads the secret, and assumes the role of the other account', () => {
      for (const role of ['ReconcileRole', 'ResyncRole', 'RelayTaskRole']) {
        const actions = of('AWS::IAM::Policy')
          .filter(([id]) => id.includes(`${role}DefaultPolicy`))
          .flatMap(([, { Properties }]) => (Properties.PolicyDocument as Document).Statement)
        expect(actions).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ Action: 'eks:DescribeCluster' }),
            expect.objectContaining({ Resource: SECRET.secretArn }),
            expect.objectContaining({ Action: 'sts:AssumeRole', Resource: ELSEWHERE.roleArn }),
          ]),
        )
      }
    })
  })

  it('gives its roles access entries in the EKS clusters of its own account and region', () => {
    const entries = of('AWS::EKS::AccessEntry').map(([, { Properties }]) => Properties)
    for (const entry of entries) expect(entry).toMatchObject({ ClusterName: 'prod', Type: 'STANDARD' })
    expect(groupsOf(template)).toEqual({
      ReconcileRole: ['sliceflow'],
      ResyncRole: ['sliceflow-relay'],
      RelayTaskRole: ['sliceflow-relay'],
    })
  })

  it('gives them a group that may only read where it compares only', () => {
    const shadow = templateOf({ bundles, clusters: [EKS], settings: { shadow: true } })
    expect(Object.values(groupsOf(shadow))).toEqual(Array(3).fill(['sliceflow-read-only']))
    expect(JSON.stringify(shadow.findOutputs('*'))).toContain('sliceflow rbac --read-only')
  })

  it('names only groups that a ClusterRole of infra/rbac is bound to', async () => {
    const files = await Promise.all(['cluster-role.yaml', 'read-only.yaml'].map((file) => readRoles(file)))
    const bound = files.flatMap(({ bindings }) =>
      bindings.flatMap(({ subjects }) => subjects.filter(({ kind }) => kind === 'Group')),
    )
    const names = new Set(bound.map(({ name }) => name))
    for (const user of ['reconcile', 'resync', 'relay', 'discover'] as const)
      for (const shadow of [false, true]) expect(names).toContain(kubernetesGroup(user, { shadow }))
  })

  describe('has alarms', () => {
    it('that tell somebody, and say where to read what to do', () => {
      const alarms = [...of('AWS::CloudWatch::Alarm'), ...of('AWS::CloudWatch::CompositeAlarm')]
      expect(alarms.length).toBeGreaterThan(18)
      for (const [id, { Properties }] of alarms) {
        expect([id, Properties.AlarmActions]).toEqual([id, [expect.anything()]])
        const page =
          /infra\/runbooks\/([a-zA-Z-]+\.md)/.exec(String(Properties.AlarmDescription))?.[1] ?? 'none'
        expect([id, page, existsSync(new URL(page, RUNBOOKS))]).toEqual([id, page, true])
      }
    })

    it('that may publish to their topics, as these have a policy of their own', () => {
      expect(of('AWS::SNS::Topic')).toHaveLength(2)
      template.allResourcesProperties('AWS::SNS::TopicPolicy', {
        PolicyDocument: Match.objectLike({
          Statement: Match.arrayWith([
            Match.objectLike({
              Effect: 'Allow',
              Action: 'sns:Publish',
              Principal: { Service: 'cloudwatch.amazonaws.com' },
            }),
          ]),
        }),
      })
    })

    it('of which each counts for one severity, that is quiet while a relay is replaced', () => {
      const rules = of('AWS::CloudWatch::CompositeAlarm').map(([, { Properties }]) => Properties)
      for (const composite of rules)
        expect(composite).toMatchObject({
          ActionsSuppressor: expect.anything(),
          ActionsSuppressorWaitPeriod: 60,
        })
      const named = JSON.stringify(rules.map(({ AlarmRule }) => AlarmRule))
      const alarms = of('AWS::CloudWatch::Alarm').map(([id]) => id)
      expect(alarms.filter((id) => !named.includes(`"${id}"`))).toEqual([
        expect.stringContaining('Deploying'),
      ])
    })
  })

  it('tells what to do next', () => {
    const outputs = Object.keys(template.findOutputs('*'))
    for (const name of ['Next1Rbac', 'Next2Alerts', 'Next3Try', 'Dashboard', 'Roles'])
      expect(outputs.some((output) => output.includes(name))).toBe(true)
  })

  it('is the same as the one that was looked at last', () => {
    const text = JSON.stringify(templateOf({ bundles }).toJSON(), null, 2).replaceAll(
      /\b[0-9a-f]{64}\b/g,
      'HASH',
    )
    expect(text).toMatchSnapshot()
  })
})

describe('props of a deployment', () => {
  const bundles = emptyBundles()

  it('make a relay a shard', () => {
    const template = templateOf({ bundles, settings: { relayShards: 3 } })
    const shards = resourcesOf(template, 'AWS::ECS::TaskDefinition').flatMap(([, { Properties }]) =>
      (
        Properties.ContainerDefinitions as [{ Environment: { Name: string; Value: string }[] }]
      )[0].Environment.filter(({ Name }) => Name === 'SLICEFLOW_SHARD').map(({ Value }) => Value),
    )
    expect(shards).toEqual(['0/3', '1/3', '2/3'])
    template.resourceCountIs('AWS::ECS::Service', 3)
  })

  it('give each relay a folder that outlives it', () => {
    const template = templateOf({ bundles, keepState: true, settings: { relayShards: 2 } })
    template.resourceCountIs('AWS::EFS::AccessPoint', 2)
    template.hasResourceProperties('AWS::EFS::FileSystem', { Encrypted: true })
    template.hasResourceProperties('AWS::ECS::TaskDefinition', {
      Volumes: [
        { EFSVolumeConfiguration: Match.objectLike({ TransitEncryption: 'ENABLED' }), Name: 'state' },
      ],
    })
  })

  it('make NAT gateways where they are asked for, and put the relay behind them', () => {
    const template = templateOf({ bundles, natGateways: 1 })
    template.resourceCountIs('AWS::EC2::NatGateway', 1)
    template.hasResourceProperties('AWS::ECS::Service', {
      NetworkConfiguration: { AwsvpcConfiguration: Match.objectLike({ AssignPublicIp: 'DISABLED' }) },
    })
  })

  it('let clusters be found by a tag, at the price of asking for each', () => {
    const template = templateOf({ bundles, clusters: [SEARCH] })
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([
          Match.objectLike({ Action: 'eks:ListClusters', Condition: Match.anyValue() }),
        ]),
      }),
    })
    template.resourceCountIs('AWS::EKS::AccessEntry', 0)
  })

  it('leave access entries to others', () => {
    templateOf({ bundles, accessEntries: false }).resourceCountIs('AWS::EKS::AccessEntry', 0)
  })

  it('are given to the functions where they are not the defaults', () => {
    templateOf({ bundles, settings: { maxEndpointsPerSlice: 250 } }).hasResourceProperties(
      'AWS::Lambda::Function',
      {
        Environment: {
          Variables: Match.objectLike({
            SLICEFLOW_MAX_ENDPOINTS_PER_SLICE: '250',
            SLICEFLOW_MODE: Match.absent(),
          }),
        },
      },
    )
  })

  const many = Array.from({ length: 40 }, (_, index) => ({ ...EKS, name: `cluster-${index}` }))
  it.each([
    ['functions in a VPC that is not given', { functionsInVpc: true }, /^functionsInVpc: needs a vpc/],
    [
      'a list that is too long for an environment',
      { clusters: many },
      /^clusters: the list has \d+ characters.*find them by a tag/,
    ],
    ['a cluster twice', { clusters: [EKS, EKS] }, /^cluster "eu-1": the name is given twice/],
    [
      'settings that cannot be',
      { settings: { batchSize: 10_000 } },
      /^batchSize: above 10 needs a batch window/,
    ],
    ['a shard', { settings: { shard: '0/2' } }, /^shard: is set for each relay; use relayShards/],
    [
      'bundles that are not there',
      { bundles: { ...bundles, relay: '/nowhere' } },
      /^bundles.relay: .* is missing; run/,
    ],
  ])('refuse %s in one line', (_, props, problem) => {
    expect(() => stackOf({ bundles, ...props })).toThrow(problem)
  })
})
