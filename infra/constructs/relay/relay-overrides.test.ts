import { Stack } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2'
import { Cluster, ContainerImage } from 'aws-cdk-lib/aws-ecs'
import { describe, expect, it } from 'vitest'
import { DeploymentError, type RelayOverrides, Sliceflow } from '../index.ts'
import { EKS, emptyBundles, resourcesOf, stackOf, templateOf, testApp } from '../template.fixtures.ts'

const COLLECTOR = ContainerImage.fromRegistry('otel/collector:1')

interface Container {
  readonly Name: string
  readonly Essential: boolean
}

describe('relays that are other than ours', () => {
  const bundles = emptyBundles()

  it('run in an ECS cluster that is there, in its VPC, and none is made', () => {
    const app = testApp(bundles)
    const theirs = new Stack(app, 'Theirs', { env: { region: 'eu-west-1', account: '123456789012' } })
    const vpc = new Vpc(theirs, 'Vpc', {
      subnetConfiguration: [{ name: 'public', subnetType: SubnetType.PUBLIC }],
    })
    const cluster = new Cluster(theirs, 'Cluster', { vpc })
    const stack = new Stack(app, 'Ours', { env: { region: 'eu-west-1', account: '123456789012' } })
    new Sliceflow(stack, 'Sliceflow', { clusters: [EKS], bundles, relayProps: { cluster } })
    const template = Template.fromStack(stack)
    template.resourceCountIs('AWS::ECS::Cluster', 0)
    template.resourceCountIs('AWS::EC2::VPC', 0)
    const [[, service] = []] = resourcesOf(template, 'AWS::ECS::Service')
    expect(JSON.stringify(service?.Properties.Cluster)).toContain('Theirs')
    expect(JSON.stringify(service?.Properties.NetworkConfiguration)).toContain('Theirs')
  })

  it('run on Spot, standbys as well, in a cluster that has it', () => {
    const template = templateOf({
      bundles,
      settings: { relayStandby: true },
      relayProps: { capacityProviderStrategies: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }] },
    })
    const services = resourcesOf(template, 'AWS::ECS::Service')
    expect(services).toHaveLength(2)
    for (const [, { Properties }] of services) {
      expect(Properties.CapacityProviderStrategy).toEqual([{ CapacityProvider: 'FARGATE_SPOT', Weight: 1 }])
      expect(Properties.LaunchType).toBeUndefined()
    }
    template.hasResourceProperties('AWS::ECS::ClusterCapacityProviderAssociations', {
      CapacityProviders: Match.arrayWith(['FARGATE_SPOT']),
    })
  })

  it('have containers beside them that do not end them, and log where they do', () => {
    const template = templateOf({
      bundles,
      settings: { relayStandby: true },
      relayProps: {
        sidecars: { collector: { image: COLLECTOR }, proxy: { image: COLLECTOR, essential: true } },
      },
    })
    const tasks = resourcesOf(template, 'AWS::ECS::TaskDefinition')
    expect(tasks).toHaveLength(2)
    for (const [, { Properties }] of tasks) {
      const containers = Properties.ContainerDefinitions as (Container & { LogConfiguration: object })[]
      expect(containers.map(({ Name, Essential }) => [Name, Essential])).toEqual([
        ['relay', true],
        ['collector', false],
        ['proxy', true],
      ])
      const groups = containers.map(({ LogConfiguration }) =>
        JSON.stringify((LogConfiguration as { Options: Record<string, unknown> }).Options['awslogs-group']),
      )
      expect(new Set(groups).size).toBe(1)
    }
  })

  const theirVpc = Vpc.fromVpcAttributes(new Stack(), 'Theirs', { vpcId: 'vpc-1', availabilityZones: ['a'] })
  const cluster = Cluster.fromClusterAttributes(new Stack(), 'Cluster', { clusterName: 'c', vpc: theirVpc })
  it.each<[RelayOverrides, string]>([
    [{ capacityProviderStrategies: [] }, 'relayProps.capacityProviderStrategies: is empty; leave it out'],
    [
      { capacityProviderStrategies: [{ capacityProvider: 'ec2', weight: 1 }] },
      'relayProps.capacityProviderStrategies: ec2 is not one of FARGATE, FARGATE_SPOT',
    ],
    [
      { sidecars: { relay: { image: COLLECTOR } } },
      'relayProps.sidecars: relay is the relay’s own container',
    ],
  ])('are refused before CloudFormation: %#', (relayProps, problem) => {
    expect(() => stackOf({ bundles, relayProps })).toThrow(DeploymentError)
    expect(() => stackOf({ bundles, relayProps })).toThrow(problem)
  })

  it('are refused in a cluster of another VPC', () => {
    const vpc = Vpc.fromVpcAttributes(new Stack(), 'Ours', { vpcId: 'vpc-2', availabilityZones: ['a'] })
    expect(() => stackOf({ bundles, vpc, relayProps: { cluster } })).toThrow(
      /^relayProps.cluster: is in another VPC than vpc; leave out vpc/,
    )
  })
})
