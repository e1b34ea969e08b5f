import { fileURLToPath } from 'node:url'
import { type App, Stack, Validations } from 'aws-cdk-lib'
import { Vpc } from 'aws-cdk-lib/aws-ec2'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, it } from 'vitest'
import { SliceflowStack } from '../stack.ts'
import { AccountAccess, type Bundles, Sliceflow } from './index.ts'
import { EKS, ELSEWHERE, emptyBundles, SEARCH, SECRET, stackOf, testApp } from './template.fixtures.ts'

const VIEWS = {
  spec: fileURLToPath(new URL('../../examples/views/endpoints.yaml', import.meta.url)),
  eventBus: 'arn:aws:events:eu-west-1:123456789012:event-bus/views',
  cloudMapNamespace: 'ns-0123456789abcdef',
}

/**
 * Returns an app that is checked by the rules of AWS Solutions; synth throws at what is not acknowledged with
 * a reason.
 */
function checkedApp(bundles: Bundles): App {
  const app = testApp(bundles)
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  return app
}

describe('the rules of AWS Solutions', () => {
  const bundles = emptyBundles()

  it.each([
    ['the default deployment', {}],
    ['clusters of all kinds', { clusters: [EKS, ELSEWHERE, SECRET, SEARCH] }],
    [
      'several relays that keep their state, behind a NAT gateway',
      { keepState: true, natGateways: 1, settings: { relayShards: 2 } },
    ],
    [
      'a key of one’s own for all that it keeps',
      {
        encryptionKey: Key.fromKeyArn(
          new Stack(),
          'Key',
          'arn:aws:kms:eu-west-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef',
        ),
        keepState: true,
        settings: { recording: 'on' as const },
      },
    ],
    [
      'new versions that come gradually, and traces',
      { settings: { gradualDeployment: 'Linear10PercentEvery1Minute' as const, tracing: true } },
    ],
  ])('find nothing that is not stated in %s', (_, props) => {
    const app = checkedApp(bundles)
    stackOf({ bundles, ...props }, app)
    expect(() => app.synth()).not.toThrow()
  })

  it('find nothing that is not stated with functions in a given VPC', () => {
    const app = checkedApp(bundles)
    const stack = new Stack(app, 'Test', { env: { region: 'eu-west-1' } })
    const vpc = Vpc.fromVpcAttributes(stack, 'Given', {
      vpcId: 'vpc-1',
      availabilityZones: ['a', 'b'],
      privateSubnetIds: ['subnet-1', 'subnet-2'],
      privateSubnetRouteTableIds: ['rtb-1', 'rtb-2'],
    })
    new Sliceflow(stack, 'Sliceflow', { clusters: [EKS], bundles, vpc, functionsInVpc: true })
    expect(() => app.synth()).not.toThrow()
  })

  it.each([
    ['of a region', { region: 'eu-west-1' }],
    ['for any region', {}],
  ])('find nothing that is not stated where views are published, in a stack %s', (_, place) => {
    const app = checkedApp(bundles)
    const context = { ...place, clusters: [EKS], settings: {}, stackName: 'Test', views: VIEWS }
    const stack = new SliceflowStack(app, context, bundles)
    expect(stack.sliceflow.viewPublisher).toBeDefined()
    expect(() => app.synth()).not.toThrow()
  })

  it('find nothing that is not stated in the access that another account gives', () => {
    const app = checkedApp(bundles)
    const stack = new Stack(app, 'Access', { env: { region: 'eu-west-1' } })
    new AccountAccess(stack, 'Access', {
      trusted: ['arn:aws:iam::111111111111:role/Sliceflow-*'],
      tag: { tagKey: 'sliceflow.dev/manage' },
      clusters: ['orders'],
    })
    expect(() => app.synth()).not.toThrow()
  })

  it('are in force: they find a queue without TLS', () => {
    const app = checkedApp(bundles)
    new Queue(stackOf({ bundles }, app), 'Bare')
    expect(() => app.synth()).toThrow()
  })
})
