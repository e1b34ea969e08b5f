import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions'
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda'
import { Queue, type QueueProps } from 'aws-cdk-lib/aws-sqs'
import { describe, expect, it } from 'vitest'
import { readContext } from '../context.ts'
import { DeploymentError } from '../settings/index.ts'

import type { Sliceflow, SliceflowProps } from './index.ts'
import { EKS, emptyBundles, resourcesOf, stackIn, stackOf, templateOf, testApp } from './template.fixtures.ts'

describe('what somebody’s rules ask for', () => {
  const bundles = emptyBundles()
  const templateIn = (context: Readonly<Record<string, unknown>>): Template =>
    Template.fromStack(stackIn(bundles, context))

  it.each([
    ['arn:aws:iam::123456789012:policy/boundary', 'arn:aws:iam::123456789012:policy/boundary'],
    ['boundary', { 'Fn::Join': ['', Match.arrayWith([':policy/boundary'])] }],
  ])('is a boundary of every role: %s', (permissionsBoundary, expected) => {
    const template = templateIn({
      permissionsBoundary,
      canary: 'true',
      gradualDeployment: 'Canary10Percent5Minutes',
    })
    template.allResourcesProperties('AWS::IAM::Role', { PermissionsBoundary: expected })
  })

  it('are tags of all that can have some, tasks among them', () => {
    const template = templateIn({ tags: 'team=net,cost-center=42' })
    for (const type of [
      'AWS::SQS::Queue',
      'AWS::Lambda::Function',
      'AWS::ECS::Service',
      'AWS::IAM::Role',
      'AWS::SNS::Topic',
    ])
      template.allResourcesProperties(type, {
        Tags: Match.arrayWith([
          { Key: 'cost-center', Value: '42' },
          { Key: 'team', Value: 'net' },
        ]),
      })
    template.allResourcesProperties('AWS::ECS::Service', { PropagateTags: 'SERVICE' })
  })

  it('is a topic for on-call that is there, to which the composites alone publish', () => {
    const topicArn = 'arn:aws:sns:eu-west-1:123456789012:on-call'
    const template = templateIn({ topicArn })
    template.allResourcesProperties('AWS::CloudWatch::CompositeAlarm', { AlarmActions: [topicArn] })
    template.resourceCountIs('AWS::SNS::Topic', 1)
    template.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', { AlarmActions: [topicArn] }, 0)
  })

  it.each([
    [
      { topicArn: 'on-call' },
      'context topicArn: "on-call" is not the ARN of a standard SNS topic, such as arn:aws:sns:REGION:ACCOUNT:NAME',
    ],
    [
      { topicArn: 'arn:aws:sns:eu-west-1:123456789012:on-call.fifo' },
      'context topicArn: "arn:aws:sns:eu-west-1:123456789012:on-call.fifo" is not the ARN of a standard SNS topic, such as arn:aws:sns:REGION:ACCOUNT:NAME',
    ],
    [{ tags: 'team' }, 'context tags: "team" is not a tag, KEY=VALUE; separate several by commas'],
    [{ tags: 'aws:x=1' }, 'context tags: "aws:x=1" begins with aws:, which AWS keeps for itself'],
    [
      { encryptionKeyArn: 'alias/mine' },
      'context encryptionKeyArn: "alias/mine" is not the ARN of a KMS key (not of an alias), such as arn:aws:kms:REGION:ACCOUNT:key/ID',
    ],
    [
      { permissionsBoundary: 'not a name' },
      'context permissionsBoundary: "not a name" is not the name or the ARN of a managed policy',
    ],
  ])('is refused where it cannot be read: %j', (context, problem) => {
    expect(() => readContext({ clusters: [EKS], ...context })).toThrow(new DeploymentError(problem))
  })
})

describe('what is other than ours', () => {
  const bundles = emptyBundles()
  const refusalOf = (props: Partial<SliceflowProps>): string => {
    try {
      stackOf({ bundles, ...props })
    } catch (error) {
      if (error instanceof DeploymentError) return error.message
      throw error
    }
    return 'nothing was wrong'
  }

  it('in a queue lies over our props, and its dead letters know its name', () => {
    const template = templateOf({
      bundles,
      queueProps: { live: { queueName: 'keys', removalPolicy: RemovalPolicy.RETAIN } },
    })
    template.hasResource('AWS::SQS::Queue', {
      DeletionPolicy: 'Retain',
      Properties: Match.objectLike({
        QueueName: 'keys',
        RedrivePolicy: Match.objectLike({ maxReceiveCount: 12 }),
      }),
    })
    const allowed = resourcesOf(template, 'AWS::SQS::Queue').map(([, { Properties }]) =>
      JSON.stringify(Properties.RedriveAllowPolicy),
    )
    expect(allowed.filter((one) => one?.includes(':keys"'))).toHaveLength(1)
  })

  it('in a function lies over our props, and its variables beside ours', () => {
    const template = templateOf({
      bundles,
      functionProps: {
        reconcile: {
          functionName: 'slices',
          environment: { HTTPS_PROXY: 'http://proxy:3128' },
          reservedConcurrentExecutions: 7,
        },
      },
    })
    template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'slices',
      ReservedConcurrentExecutions: 7,
      Environment: {
        Variables: Match.objectLike({
          HTTPS_PROXY: 'http://proxy:3128',
          NODE_OPTIONS: '--enable-source-maps',
          SLICEFLOW_LIVE_QUEUE_URL: Match.anyValue(),
        }),
      },
    })
  })

  it('is a queue that is there: none is made, and the function reads it, with its dead letters', () => {
    const app = testApp(bundles)
    const theirs = new Stack(app, 'Theirs', { env: { region: 'eu-west-1' } })
    const deadLetters = new Queue(theirs, 'DeadLetters')
    const queue = new Queue(theirs, 'Keys', {
      visibilityTimeout: Duration.minutes(10),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 12 },
    })
    const stack = stackOf({ bundles, existingQueues: { live: { queue, deadLetters } } }, app)
    const template = Template.fromStack(stack)
    template.resourceCountIs('AWS::SQS::Queue', 2)
    const sources = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) =>
      JSON.stringify(Properties.EventSourceArn),
    )
    expect(sources).toEqual(
      expect.arrayContaining([
        expect.stringContaining('Keys'),
        expect.stringContaining('SliceflowSweepQueue'),
      ]),
    )
    Annotations.fromStack(stack).hasNoWarning('*', Match.anyValue())
  })

  it('is a queue whose settings cannot be seen: a warning says what they must be', () => {
    const app = testApp(bundles)
    const theirs = new Stack(app, 'Theirs', { env: { region: 'eu-west-1' } })
    const [queue, deadLetters] = ['keys', 'letters'].map((name) =>
      Queue.fromQueueArn(theirs, name, `arn:aws:sqs:eu-west-1:123456789012:${name}`),
    ) as [Queue, Queue]
    const stack = stackOf({ bundles, existingQueues: { sweep: { queue, deadLetters } } }, app)
    Annotations.fromStack(stack).hasWarning(
      '*',
      Match.stringLikeRegexp(
        'existingQueues: the settings of Sweep cannot be seen here. See that it has a visibility timeout of 400 s or more, and gives up to its dead letters after 12 receives',
      ),
    )
  })

  it('is anything at all, by the resources of CloudFormation behind the constructs', () => {
    const stack = stackOf({ bundles })
    const sliceflow = stack.node.findChild('Sliceflow') as Sliceflow
    const resource = sliceflow.reconcile.function.node.defaultChild as CfnFunction
    resource.addPropertyOverride('EphemeralStorage.Size', 1024)
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      EphemeralStorage: { Size: 1024 },
    })
  })

  // Of those who write JavaScript: the types have no such props.
  const queueProps = (live: QueueProps): Partial<SliceflowProps> => ({ queueProps: { live } })
  it.each<[string, Partial<SliceflowProps>]>([
    [
      'queueProps: visibilityTimeout cannot be set there; it follows from the setting functionTimeout',
      queueProps({ visibilityTimeout: Duration.minutes(1) }),
    ],
    [
      'queueProps: fifo cannot be set there; a FIFO queue drops a change that follows a processed one; leave it out',
      queueProps({ fifo: true }),
    ],
    [
      'functionProps.reconcile: timeout cannot be set there; use the setting functionTimeout, from which visibility timeouts follow',
      // @ts-expect-error -- those who write JavaScript are refused by synth
      { functionProps: { reconcile: { timeout: Duration.minutes(1) } } },
    ],
    [
      'functionProps.audit: the variable SLICEFLOW_MODE is set from settings; use those',
      { functionProps: { audit: { environment: { SLICEFLOW_MODE: 'replace' } } } },
    ],
    [
      'functionProps.reconcile: reservedConcurrentExecutions 3 is below the 7 calls that both lanes make at once, and messages that are throttled would go to the dead letters; reserve 7 or more, or lower maximumConcurrency',
      { functionProps: { reconcile: { reservedConcurrentExecutions: 3 } } },
    ],
  ])('is refused where a setting says it, or it would lose something: %s', (problem, props) => {
    expect(refusalOf(props)).toBe(problem)
  })

  it.each<[string, QueueProps, Partial<SliceflowProps>]>([
    [
      'existingQueues: Live must give up after maxReceiveCount receives, 12, to its deadLetters; set its deadLetterQueue, or the setting, so',
      {},
      {},
    ],
    [
      'existingQueues: Live is a FIFO queue, which drops a change that follows a processed one; give standard queues',
      { fifo: true },
      {},
    ],
    [
      'queueProps: the queue Live is one of existingQueues, and none is made; leave out one of them',
      {},
      queueProps({ queueName: 'keys' }),
    ],
  ])('is refused where it is a queue that cannot be used: %s', (problem, theirs, props) => {
    const queue = new Queue(new Stack(), 'Keys', theirs)
    const deadLetters = new Queue(new Stack(), 'DeadLetters')
    expect(refusalOf({ existingQueues: { live: { queue, deadLetters } }, ...props })).toBe(problem)
  })
})
