import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import type { DeploymentSettingsProps } from './index.ts'
import { emptyBundles, resourcesOf, SEARCH, stackOf, statementsOf, templateOf } from './template.fixtures.ts'

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

  it.each([
    ['any value', undefined, { Null: { 'aws:ResourceTag/sliceflow.dev/manage': 'false' } }],
    ['one value', 'yes', { StringEquals: { 'aws:ResourceTag/sliceflow.dev/manage': 'yes' } }],
  ])('let clusters be found by %s of a tag, and describe no others', (_, tagValue, condition) => {
    const template = templateOf({ bundles, clusters: [{ ...SEARCH, tagValue }] })
    const of = (action: string): unknown[] =>
      statementsOf(template)
        .filter(({ Action }) => Action === action)
        .map(({ Condition }) => Condition)
    expect(of('tag:GetResources')).toEqual(
      Array(3).fill({ StringEquals: { 'aws:RequestedRegion': ['eu-west-1'] } }),
    )
    expect(of('eks:DescribeCluster')).toEqual(Array(3).fill(condition))
    template.resourceCountIs('AWS::EKS::AccessEntry', 0)
  })

  it('leave access entries to others', () => {
    templateOf({ bundles, accessEntries: false }).resourceCountIs('AWS::EKS::AccessEntry', 0)
  })

  it('have the functions’ calls traced by X-Ray, and leave the permission for that out otherwise', () => {
    const traced = templateOf({ bundles, settings: { tracing: true } })
    traced.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: { Mode: 'Active' } })
    const template = templateOf({ bundles })
    template.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: Match.absent() })
    expect(JSON.stringify(template.toJSON())).not.toContain('xray:')
  })

  it('are given to functions and relay where they are not the defaults', () => {
    const template = templateOf({ bundles, settings: { logLevel: 'warn' } })
    template.allResourcesProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({ SLICEFLOW_LOG_LEVEL: 'warn', SLICEFLOW_MODE: Match.absent() }),
      },
    })
    template.hasResourceProperties('AWS::ECS::TaskDefinition', {
      ContainerDefinitions: [
        Match.objectLike({ Environment: Match.arrayWith([{ Name: 'SLICEFLOW_LOG_LEVEL', Value: 'warn' }]) }),
      ],
    })
  })

  it('give the live lane pollers of its own in place of a concurrency', () => {
    const template = templateOf({ bundles, settings: { minimumPollers: 2, maximumPollers: 20 } })
    const mappings = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => [
      Properties.ProvisionedPollerConfig,
      Properties.ScalingConfig,
    ])
    expect(mappings).toEqual([
      [{ MinimumPollers: 2, MaximumPollers: 20 }, undefined],
      [undefined, { MaximumConcurrency: 2 }],
    ])
  })

  describe('move calls to a new version gradually', () => {
    const template = (settings = {}) =>
      templateOf({ bundles, settings: { gradualDeployment: 'Canary10Percent30Minutes', ...settings } })

    it('by an alias that both lanes call, and that CodeDeploy moves and rolls back by alarms', () => {
      const given = template()
      const [alias] = resourcesOf(given, 'AWS::Lambda::Alias').map(([id]) => id)
      for (const [, { Properties }] of resourcesOf(given, 'AWS::Lambda::EventSourceMapping'))
        expect(JSON.stringify(Properties.FunctionName)).toContain(`{"Ref":"${alias}"}`)
      given.hasResource('AWS::Lambda::Alias', {
        UpdatePolicy: {
          CodeDeployLambdaAliasUpdate: Match.objectLike({ DeploymentGroupName: Match.anyValue() }),
        },
      })
      given.hasResourceProperties('AWS::CodeDeploy::DeploymentGroup', {
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent30Minutes',
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
        },
        AlarmConfiguration: {
          Enabled: true,
          Alarms: [
            { Name: { Ref: Match.stringLikeRegexp('NewVersionErrors') } },
            { Name: { Ref: Match.stringLikeRegexp('NewVersionFailures') } },
          ],
        },
      })
      given.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName: 'Errors',
        Dimensions: Match.arrayWith([
          { Name: 'ExecutedVersion', Value: { 'Fn::GetAtt': [Match.anyValue(), 'Version'] } },
        ]),
      })
    })

    it('with a version for each change of code or settings', () => {
      const [before, same, after] = [template(), template(), template({ functionMemory: 1024 })].map(
        (given) => resourcesOf(given, 'AWS::Lambda::Version').map(([id]) => id),
      )
      expect(before).toHaveLength(1)
      expect(same).toEqual(before)
      expect(after).not.toEqual(before)
    })

    it('and let CodeDeploy move this alias alone', () => {
      const given = template()
      given.allResourcesProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() })

      const [alias] = resourcesOf(given, 'AWS::Lambda::Alias').map(([id]) => id)
      expect(statementsOf(given, 'GradualDeployment')).toEqual([
        expect.objectContaining({
          Action: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
          Resource: [
            { 'Fn::GetAtt': [expect.stringMatching('SliceflowReconcileFunction'), 'Arn'] },
            { Ref: alias },
          ],
        }),
        expect.objectContaining({ Action: 'cloudwatch:DescribeAlarms', Resource: '*' }),
      ])
    })
  })

  it.each([
    [
      'a shard',
      { settings: { shard: '0/2' } as DeploymentSettingsProps },
      /^shard: is set for each relay; use relayShards/,
    ],
    [
      'bundles that are not there',
      { bundles: { ...bundles, relay: '/nowhere' } },
      /^bundles.relay: .* is missing; run/,
    ],
  ])('refuse %s in one line', (_, props, problem) => {
    expect(() => stackOf({ bundles, ...props })).toThrow(problem)
  })
})
