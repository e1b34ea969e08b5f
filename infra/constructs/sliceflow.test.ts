import { Match, type Template } from 'aws-cdk-lib/assertions'
import { beforeAll, describe, expect, it } from 'vitest'
import { EKS, ELSEWHERE, emptyBundles, SECRET, templateOf } from './template.fixtures.ts'

describe('a deployment', () => {
  const bundles = emptyBundles()
  let template: Template

  beforeAll(() => {
    template = templateOf({ bundles, clusters: [EKS, SECRET, ELSEWHERE] })
  })

  it('has functions on ARM64 and Node.js 24 that trace, log JSON and keep logs for a time', () => {
    template.resourceCountIs('AWS::Lambda::Function', 2)
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
