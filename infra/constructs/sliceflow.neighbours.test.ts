import { fileURLToPath } from 'node:url'
import { NestedStack, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openDeployedMetrics } from '../../functions/environment/index.ts'
import { RELAY_UP } from '../../functions/relay/metric-names.ts'
import { DEPLOYMENT_DIMENSION, EMF_NAMESPACE } from '../../shared/telemetry/index.ts'
import { ringing } from './alarms/alarm-states.fixtures.ts'
import { type AlarmProperties, alarmsOf, metricsRead } from './alarms/alarms.fixtures.ts'
import { createRecordedMetrics, MINUTE, type RecordedMetrics } from './alarms/recorded-metrics.fixtures.ts'
import { Sliceflow } from './index.ts'
import { deploymentName } from './metrics.ts'
import { EKS, emptyBundles, type Resource, testApp, variablesOf } from './template.fixtures.ts'

const SPEC = fileURLToPath(new URL('../../examples/views/endpoints.yaml', import.meta.url))
const ENV = { region: 'eu-west-1', account: '123456789012' }
/** Names that are not those of the resource in its account, or that are of its role, function or database. */
const NOT_OF_ACCOUNT = new Set([
  'AWS::CloudWatch::Alarm MetricName',
  'AWS::CodeDeploy::DeploymentGroup DeploymentConfigName',
  'AWS::EKS::AccessEntry ClusterName',
  'AWS::IAM::Policy PolicyName',
  'AWS::Lambda::Alias Name',
])

/** Adds a stack with everything that a deployment can have. */
function addStack(scope: ReturnType<typeof testApp>, id: string, stackName = id): Stack {
  const stack = new Stack(scope, id, { env: ENV, stackName })
  new Sliceflow(stack, 'Sliceflow', {
    clusters: [EKS],
    bundles,
    canary: true,
    keepState: true,
    fleet: {},
    views: { spec: SPEC, eventBus: EventBus.fromEventBusName(stack, 'Bus', 'views') },
    settings: { relayStandby: true, recording: 'on', gradualDeployment: 'Canary10Percent5Minutes' },
  })
  return stack
}

const bundles = emptyBundles()

const resources = (stack: Stack): [string, Resource][] =>
  Object.entries((Template.fromStack(stack).toJSON() as { Resources: Record<string, Resource> }).Resources)

/** Returns the names that a template gives, and not CloudFormation: `type: name`. */
function namesGiven(stack: Stack): string[] {
  return resources(stack).flatMap(([, { Type, Properties = {} }]) =>
    Object.entries(Properties).flatMap(([key, value]) =>
      /Name$/.test(key) && typeof value === 'string' && !NOT_OF_ACCOUNT.has(`${Type} ${key}`)
        ? [`${Type} ${key}: ${value}`]
        : [],
    ),
  )
}

/** Returns the metrics of ours that alarms read and graphs show, and what searches match. */
function metricsAsked(stack: Stack): { readonly deployment: string | undefined; readonly metric: string }[] {
  const all = resources(stack)
  const ofAlarms = all
    .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
    .flatMap(([, { Properties }]) => metricsRead(Properties as unknown as AlarmProperties))
    .filter(({ namespace }) => namespace === EMF_NAMESPACE)
    .map(({ name, dimensions }) => ({ deployment: dimensions[DEPLOYMENT_DIMENSION], metric: name }))
  const [[, board] = []] = all.filter(([, { Type }]) => Type === 'AWS::CloudWatch::Dashboard')
  const text = JSON.stringify(board?.Properties.DashboardBody).replaceAll('\\', '')
  const ofGraphs = [...text.matchAll(/\["Sliceflow","(\w+)"(?:,"Deployment","([^"]+)")?/g)].map(
    ([, metric = '', deployment]) => ({ metric, deployment }),
  )
  const ofQueries = [
    ...JSON.stringify(all).matchAll(/SELECT \w+\((\w+)\) FROM [^']* WHERE Deployment = '([^']+)'/g),
  ].map(([, metric = '', deployment]) => ({ metric, deployment }))
  const ofSearches = [
    ...text.matchAll(/SEARCH\('\{Sliceflow,.*?MetricName="(\w+)"(?: Deployment="([^"]+)")?/g),
  ].map(([, metric = '', deployment]) => ({ metric, deployment }))
  const found = [ofAlarms, ofGraphs, ofSearches, ofQueries]
  expect(found.map(({ length }) => length > 5)).toEqual([true, true, true, true])
  return found.flat()
}

/** Returns the deployment that each function and relay names in its metrics. */
function deploymentsWritten(stack: Stack): unknown[] {
  const text = JSON.stringify(resources(stack))
  const written = [
    ...text.matchAll(/"SLICEFLOW_DEPLOYMENT":"([^"]+)"/g),
    ...text.matchAll(/"Name":"SLICEFLOW_DEPLOYMENT","Value":"([^"]+)"/g),
  ].map(([, name]) => name)
  // Five functions, a relay and its standby.
  expect(written).toHaveLength(7)
  return written
}

/** Evaluates the alarm RelayDown over what was recorded, after a minute. */
function isRelayDown(stack: Stack, recorded: RecordedMetrics, minute: number): boolean {
  const { RelayDown } = alarmsOf(Template.fromStack(stack))
  return ringing(RelayDown as AlarmProperties, recorded, minute).length > 0
}

describe('two deployments of one account and region', () => {
  const app = testApp(bundles)
  const pairs = {
    'of one app': [addStack(app, 'One'), addStack(app, 'Two')],
    'of two apps that call their stacks otherwise': [
      addStack(testApp(bundles), 'Sliceflow', 'One'),
      addStack(testApp(bundles), 'Sliceflow', 'Two'),
    ],
  } as const

  it.each(Object.entries(pairs))('%s share no metric', (_, [one, two]) => {
    for (const [stack, name] of [
      [one, 'One/Sliceflow'],
      [two, 'Two/Sliceflow'],
    ] as const) {
      const others = metricsAsked(stack).filter(({ deployment }) => deployment !== name)
      expect(others).toEqual([])
      expect(new Set(deploymentsWritten(stack))).toEqual(new Set([name]))
    }
  })

  it.each(Object.entries(pairs))(
    '%s share no name of an alarm, a log group, a queue or a policy',
    (_, [one, two]) => {
      const [first, second] = [namesGiven(one), namesGiven(two)]
      expect(first.length).toBeGreaterThan(4)
      expect(new Set(first).intersection(new Set(second))).toEqual(new Set())
      // Policies of the account are a quota of 10 in a region.
      for (const stack of [one, two])
        expect(resources(stack).filter(([, { Type }]) => Type === 'AWS::Logs::ResourcePolicy')).toEqual([])
    },
  )

  it.each(Object.entries(pairs))(
    '%s: the relay of one is down, and the alarm of that one rings',
    (_, [one, two]) => {
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      const recorded = createRecordedMetrics()
      const metricsOf = (stack: Stack) =>
        openDeployedMetrics(variablesOf(stack, 'RelayTask0'), { write: recorded.write })
      const [first, second] = [one, two].map(metricsOf)
      const down = Array.from({ length: 12 }, (_, minute) => {
        vi.setSystemTime(minute * MINUTE)
        // The second relay ends in the fifth minute.
        for (const metrics of minute < 5 ? [first, second] : [first]) {
          metrics?.count(RELAY_UP)
          metrics?.flush()
        }
        return [one, two].map((stack) => isRelayDown(stack, recorded, minute))
      })
      expect(down.map(([ofFirst]) => ofFirst).slice(5)).not.toContain(true)
      expect(down.findIndex(([, ofSecond], minute) => minute > 5 && ofSecond)).toBe(9)
    },
  )

  it('in one stack, or in nested ones, have a name each', () => {
    const stack = new Stack(testApp(bundles), 'Many', { env: ENV })
    const nested = ['a', 'b'].map((id) => new NestedStack(stack, id))
    const all = [stack, ...nested].flatMap((scope) =>
      ['x', 'y'].map((id) => new Sliceflow(scope, id, { clusters: [EKS], bundles })),
    )
    const names = all.map(deploymentName)
    expect(names).toEqual(['Many/x', 'Many/y', 'Many/a/x', 'Many/a/y', 'Many/b/x', 'Many/b/y'])
  })
})

describe('what ECS does with relays', () => {
  const all = resources(addStack(testApp(bundles), 'One'))
  const [[id, group] = ['', undefined]] = all.filter(([key]) =>
    /^SliceflowRelayEndsLogs[0-9A-F]{8}$/.test(key),
  )

  it('goes to a log group by an ARN without the ending that EventBridge takes and delivers nothing to', () => {
    const rules = all.filter(([, { Type }]) => Type === 'AWS::Events::Rule')
    expect(rules).toHaveLength(1)
    for (const [, { Properties }] of rules)
      expect(Properties.Targets).toMatchObject([
        { Arn: { 'Fn::Join': ['', ['arn:aws:logs:eu-west-1:123456789012:log-group:', { Ref: id }]] } },
      ])
  })

  it('is let in by a policy of that log group, which names no other', () => {
    const { LogGroupName: name, ResourcePolicyDocument: document } = group?.Properties ?? {}
    expect(name).toMatch(/^One-Sliceflow-\w+-RelayEnds$/)
    expect(document).toMatchObject({
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'events.amazonaws.com' },
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: `arn:aws:logs:eu-west-1:123456789012:log-group:${name}:*`,
        },
      ],
    })
  })

  it('reports relays that end by themselves, cannot start or are not healthy', () => {
    const [[, rule] = []] = all.filter(([key]) => /RelayEnds[0-9A-F]{8}$/.test(key))
    const [[cluster] = []] = all.filter(([, { Type }]) => Type === 'AWS::ECS::Cluster')
    const services = all.filter(([, { Type }]) => Type === 'AWS::ECS::Service').map(([id]) => id)
    expect(rule?.Properties.EventPattern).toEqual({
      source: ['aws.ecs'],
      'detail-type': ['ECS Task State Change'],
      detail: {
        clusterArn: [{ 'Fn::GetAtt': [cluster, 'Arn'] }],
        group: services.map((id) => ({ 'Fn::Join': ['', ['service:', { 'Fn::GetAtt': [id, 'Name'] }]] })),
        lastStatus: ['STOPPED'],
        $or: [
          { stopCode: ['EssentialContainerExited', 'TaskFailedToStart'] },
          { stoppedReason: [{ prefix: 'Task failed container health checks' }] },
        ],
      },
    })
  })

  it('comes before the alarms that count relays, which count by the name of the deployment', () => {
    const services = all.filter(([, { Type }]) => Type === 'AWS::ECS::Service').map(([key]) => key)
    for (const name of ['RelayDown', 'StandbyDown']) {
      const [[, alarm] = []] = all.filter(([key]) => key.includes(`Alarms${name}`))
      expect((alarm as { DependsOn?: string[] } | undefined)?.DependsOn).toEqual(
        expect.arrayContaining(services),
      )
    }
  })
})
