import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Stack, Stage } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { CpuArchitecture } from 'aws-cdk-lib/aws-ecs'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  EKS,
  ELSEWHERE,
  emptyBundles,
  resourcesOf,
  SECRET,
  stackIn,
  stackOf,
  templateOf,
} from './template.fixtures.ts'

const DIGEST = `sha256:${'0'.repeat(64)}`

/** Returns the images that a deployment builds. */
function imagesBuilt(stack: Stack): unknown[] {
  const file = join(Stage.of(stack)?.outdir ?? '', `${stack.artifactId}.assets.json`)
  return Object.values(JSON.parse(readFileSync(file, 'utf8')).dockerImages ?? {})
}

describe('a deployment', () => {
  const bundles = emptyBundles()
  let template: Template

  beforeAll(() => {
    template = templateOf({ bundles, clusters: [EKS, SECRET, ELSEWHERE] })
  })

  it('has functions on ARM64 and Node.js 24 that log JSON, and keep logs for a time', () => {
    template.resourceCountIs('AWS::Lambda::Function', 2)
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      TracingConfig: Match.absent(),
      LoggingConfig: Match.objectLike({ LogFormat: 'JSON', SystemLogLevel: 'WARN' }),
      Environment: { Variables: Match.objectLike({ NODE_OPTIONS: '--enable-source-maps' }) },
    })
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 })
  })

  it('has a schedule that calls the audit function once a slot of the audit, with the time that it is for', () => {
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'cron(5/10 * * * ? *)',
      Target: Match.objectLike({ Input: '{"time":"<aws.scheduler.scheduled-time>"}' }),
    })
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

    it('of an image that any machine builds: by the digest of its base, and without running anything', () => {
      const dockerfile = readFileSync(new URL('../relay/Dockerfile', import.meta.url), 'utf8')
      expect(dockerfile.match(/^FROM .*$/gm)).toEqual([
        expect.stringMatching(/^FROM \S+@sha256:[0-9a-f]{64}$/),
      ])
      expect(dockerfile.match(/^(?!FROM|WORKDIR|COPY|USER|ENV|STOPSIGNAL|ENTRYPOINT|#|$).*$/gm)).toBeNull()
      // The task's health check runs what is in the base.
      expect(dockerfile).toMatch(/^ENV PATH="\/nodejs\/bin:/m)
    })

    it.each([
      [undefined, 'ARM64', 'linux/arm64'],
      [CpuArchitecture.X86_64, 'X86_64', 'linux/amd64'],
    ])('for the architecture %o', (cpuArchitecture, architecture, platform) => {
      const stack = stackOf({ bundles, ...(cpuArchitecture && { cpuArchitecture }) })
      Template.fromStack(stack).hasResourceProperties('AWS::ECS::TaskDefinition', {
        RuntimePlatform: { CpuArchitecture: architecture },
      })
      expect(imagesBuilt(stack)).toEqual([
        expect.objectContaining({ source: expect.objectContaining({ platform }) }),
      ])
    })

    it.each([
      [`registry.example.org:5000/team/relay@${DIGEST}`, false],
      ['public.ecr.aws/x/relay:1', false],
      [`210987654321.dkr.ecr.eu-west-1.amazonaws.com/relay@${DIGEST}`, true],
      ['210987654321.dkr.ecr.eu-west-1.amazonaws.com/team/relay:1.0', true],
    ])('of the image %s, which is there, and which it may pull', (relayImage, isOfEcr) => {
      const stack = stackIn(bundles, { relayImage })
      const given = Template.fromStack(stack)
      const [[, task] = []] = resourcesOf(given, 'AWS::ECS::TaskDefinition')
      const [container] = (task?.Properties.ContainerDefinitions ?? []) as { Image: unknown }[]
      const image = JSON.stringify(container?.Image)
      for (const part of relayImage.split(/[/:@]/).filter((one) => !one.includes('amazonaws')))
        expect(image).toContain(part)
      const pulls = JSON.stringify(resourcesOf(given, 'AWS::IAM::Policy')).match(
        /:ecr:eu-west-1:210987654321:repository/g,
      )
      expect((pulls ?? []).length > 0).toBe(isOfEcr)
      expect(imagesBuilt(stack)).toEqual([])
    })

    it.each([
      ['without state', {}],
      ['where both keep one state', { keepState: true }],
    ])('that goes on until its successor is healthy, and for good if it crashes, %s', (_, props) => {
      const settings = { relayStandby: true }
      templateOf({ bundles, settings, ...props }).allResourcesProperties('AWS::ECS::Service', {
        DesiredCount: 1,
        AvailabilityZoneRebalancing: 'DISABLED',
        DeploymentConfiguration: Match.objectLike({
          MinimumHealthyPercent: 100,
          MaximumPercent: 200,
          DeploymentCircuitBreaker: { Enable: true, Rollback: true, ResetOnHealthyTask: false },
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
  it('has a standby for each relay where it is asked for, without a checkpoint and replaced after it', () => {
    const settings = { relayStandby: true, relayShards: 2, standbyDelay: 3 }
    const standing = templateOf({ bundles, settings, keepState: true })
    const variables = resourcesOf(standing, 'AWS::ECS::TaskDefinition').map(([id, { Properties }]) => {
      const [container] = Properties.ContainerDefinitions as {
        Environment: { Name: string; Value: string }[]
      }[]
      const setTo = (name: string) => container?.Environment.find(({ Name }) => Name === name)?.Value
      const names = [
        'SLICEFLOW_RELAY_STANDBY',
        'SLICEFLOW_STATE_DIR',
        'SLICEFLOW_SHARD',
        'SLICEFLOW_STANDBY_DELAY',
      ]
      return [id.includes('StandbyTask'), Properties.Volumes === undefined, ...names.map(setTo)]
    })
    expect(variables).toEqual([
      [false, false, undefined, '/state', '0/2', '3'],
      [false, false, undefined, '/state', '1/2', '3'],
      [true, true, 'true', undefined, '0/2', '3'],
      [true, true, 'true', undefined, '1/2', '3'],
    ])
    const services = resourcesOf(standing, 'AWS::ECS::Service')
    const [first, , , last] = services as [string, { DependsOn?: string[] }][]
    expect(last?.[1].DependsOn).toContain(first?.[0])
    for (const [, { Properties }] of resourcesOf(standing, 'AWS::Lambda::Function'))
      expect(JSON.stringify(Properties)).not.toContain('RELAY_STANDBY')
  })

  it('has outputs that programs can rely on, by names that nothing else changes', () => {
    const outputs = template.findOutputs('*')
    const names = Object.keys(outputs).map((name) => name.replace(/^Sliceflow/, ''))
    expect(names.toSorted()).toEqual([
      'AuditRoleArn',
      'Clusters',
      'Dashboard',
      'Deployment',
      'LiveDeadLettersUrl',
      'LiveQueueUrl',
      'Next1Rbac',
      'Next2Alerts',
      'Next3Try',
      'ReconcileRoleArn',
      'RelayRoleArn',
      'RoleArns',
      'Roles',
      'SweepDeadLettersUrl',
      'SweepQueueUrl',
      'Writer',
    ])
    const letters = resourcesOf(template, 'AWS::SQS::Queue').find(([id]) => id.includes('LiveDeadLetters'))
    expect(outputs.SliceflowLiveDeadLettersUrl).toEqual({ Value: { Ref: letters?.[0] } })
    const arns = ['Reconcile', 'Audit', 'Relay'].map((user) => outputs[`Sliceflow${user}RoleArn`]?.Value)
    expect(outputs.SliceflowRoleArns).toEqual({
      Value: { 'Fn::Join': ['', [arns[0], ',', arns[1], ',', arns[2]]] },
    })
  })

  it('is the same as the one that was reviewed last', () => {
    const text = JSON.stringify(templateOf({ bundles }).toJSON(), null, 2).replaceAll(
      /\b[0-9a-f]{64}\b/g,
      'HASH',
    )
    expect(text).toMatchSnapshot()
  })
})
