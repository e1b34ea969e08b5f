import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { describe, expect, it } from 'vitest'
import { AccountAccess, DeploymentError, Sliceflow, type SliceflowProps } from './index.ts'
import { EKS, emptyBundles, resourcesOf, stackOf, statementsOf, testApp } from './template.fixtures.ts'

const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef'

describe('a deployment as a construct', () => {
  const bundles = emptyBundles()
  const deployed = (props: Partial<SliceflowProps> = {}): { stack: Stack; sliceflow: Sliceflow } => {
    const stack = stackOf({ bundles, ...props })
    return { stack, sliceflow: stack.node.findChild('Sliceflow') as Sliceflow }
  }

  it('takes settings, queues and functions by their types', () => {
    const props: Partial<SliceflowProps>[] = [
      { settings: { mode: 'replace', batchWindow: 1, relayCpu: 256, recording: 'on' } },
      // @ts-expect-error -- misspelt
      { settings: { mode: 'replcae' } },
      // @ts-expect-error -- text
      { settings: { batchWindow: '1' } },
      // @ts-expect-error -- set for each relay
      { settings: { shard: '0/2' } },
      // @ts-expect-error -- misspelt
      { settings: { batchWindwo: 1 } },
      // @ts-expect-error -- a FIFO queue loses changes
      { queueProps: { live: { fifo: true } } },
      // @ts-expect-error -- the bundle is made for one
      { functionProps: { reconcile: { runtime: undefined } } },
      // @ts-expect-error -- no severity
      { alarms: { FailedKeys: { severity: 'loud' } } },
    ]
    expect(props).toHaveLength(8)
  })

  it('has metrics of its own, by name and by method, with what somebody wants otherwise', () => {
    const { sliceflow } = deployed()
    const Deployment = 'Test/Sliceflow'
    expect(sliceflow.deployment).toBe(Deployment)
    const shown = (metric: ReturnType<Sliceflow['metric']>) => {
      const { namespace, metricName, dimensions, statistic, period } = metric
      return [namespace, metricName, dimensions, statistic, period.toSeconds()]
    }
    expect(shown(sliceflow.metricFailedKeys())).toEqual([
      'Sliceflow',
      'FailedKeys',
      { Deployment },
      'Sum',
      300,
    ])
    expect(shown(sliceflow.metricEventToApplied())).toEqual([
      'Sliceflow',
      'EventToApplied',
      { Deployment },
      'p99',
      300,
    ])
    expect(shown(sliceflow.metricWatchFailing({ dimensionsMap: { Cluster: 'eu-1' } }))).toEqual([
      'Sliceflow',
      'RelayWatchFailing',
      { Deployment, Cluster: 'eu-1' },
      'Maximum',
      300,
    ])
    expect(shown(sliceflow.metricKeys({ statistic: 'Average' }))[3]).toBe('Average')
    expect(shown(sliceflow.metricHeldPlans())[1]).toBe('HeldPlans')
    expect(shown(sliceflow.metric('ColdStarts'))[1]).toBe('ColdStarts')
  })

  it('has metrics that no dimension of somebody else’s takes from it', () => {
    const { sliceflow } = deployed()
    const metric = sliceflow.metric('Keys', { dimensionsMap: { Lane: 'live' } })
    expect(metric.dimensions).toEqual({ Deployment: 'Test/Sliceflow', Lane: 'live' })
  })

  /** Returns what a role of ours is allowed by one grant, as `action resource`. */
  function allowedBy(grant: (sliceflow: Sliceflow, role: Role) => void, props: Partial<SliceflowProps> = {}) {
    const { stack, sliceflow } = deployed(props)
    const role = new Role(stack, 'OnCall', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') })
    grant(sliceflow, role)
    return statementsOf(Template.fromStack(stack), 'OnCall').map(({ Action, Resource, Condition }) => ({
      actions: [Action].flat(),
      of: typeof Resource === 'string' ? Resource : namesIn(Resource),
      ...(Condition !== undefined && { condition: Condition }),
    }))
  }
  const namesIn = (resource: unknown): string =>
    [...JSON.stringify(resource).matchAll(/Sliceflow(\w+?)[0-9A-F]{8}/g)]
      .map(([, name]) => name)
      .join(' and ')
  const VIA_SQS = { StringEquals: { 'kms:ViaService': 'sqs.eu-west-1.amazonaws.com' } }

  it('lets somebody send keys, and nothing else', () => {
    expect(allowedBy((sliceflow, role) => sliceflow.grantSendKeys(role).assertSuccess())).toEqual([
      { actions: ['sqs:SendMessage'], of: 'LiveQueue' },
    ])
    const encryptionKey = Key.fromKeyArn(new Stack(), 'Key', KEY)
    const withKey = allowedBy((sliceflow, role) => void sliceflow.grantSendKeys(role), { encryptionKey })
    expect(withKey).toContainEqual({
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      of: KEY,
      condition: VIA_SQS,
    })
  })

  it('lets somebody handle the dead letters of each lane', () => {
    expect(allowedBy((sliceflow, role) => sliceflow.grantDeadLetters(role).assertSuccess())).toEqual([
      {
        actions: [
          'sqs:ChangeMessageVisibility',
          'sqs:DeleteMessage',
          'sqs:GetQueueAttributes',
          'sqs:ListDeadLetterSourceQueues',
          'sqs:ReceiveMessage',
        ],
        of: 'LiveDeadLetters and SweepDeadLetters',
      },
      {
        actions: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'],
        of: 'LiveQueue and SweepQueue',
      },
    ])
  })

  it('lets somebody read what is recorded, and says so where nothing is', () => {
    const allowed = allowedBy((sliceflow, role) => sliceflow.grantReadRecordings(role).assertSuccess(), {
      settings: { recording: 'on' },
    })
    expect(allowed).toEqual([
      { actions: ['s3:GetObject'], of: 'RecordingsBucket' },
      { actions: ['s3:ListBucket'], of: 'RecordingsBucket' },
    ])
    const { stack, sliceflow } = deployed()
    const role = new Role(stack, 'OnCall', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') })
    expect(() => sliceflow.grantReadRecordings(role)).toThrow(DeploymentError)
  })

  it.each(['sliceflow.ts', 'access/account-access.ts'])(
    'is made by the example of %s, as it stands',
    (file) => {
      const text = readFileSync(new URL(file, import.meta.url), 'utf8')
      const [, code = ''] = /@example\n \* ```ts\n([\s\S]*?)\n \* ```/.exec(text) ?? []
      const stack = new Stack(testApp(bundles), 'Test', { env: { region: 'eu-west-1' } })
      const onCall = new Role(stack, 'OnCall', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') })
      class Bundled extends Sliceflow {
        constructor(scope: Stack, id: string, props: SliceflowProps) {
          super(scope, id, { ...props, bundles })
        }
      }
      runInNewContext(code.replaceAll(/^ \* ?/gm, ''), { stack, onCall, Sliceflow: Bundled, AccountAccess })
      expect(resourcesOf(Template.fromStack(stack), 'AWS::IAM::Role').length).toBeGreaterThan(1)
    },
  )

  it('has no dashboard where none is wanted, and no output of it', () => {
    const app = testApp(bundles)
    const stack = new Stack(app, 'Test', { env: { region: 'eu-west-1' } })
    const { overview } = new Sliceflow(stack, 'Sliceflow', { clusters: [EKS], bundles, dashboard: false })
    const template = Template.fromStack(stack)
    expect(overview).toBeUndefined()
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 0)
    expect(Object.keys(template.findOutputs('*')).filter((id) => id.includes('Dashboard'))).toEqual([])
  })
})
