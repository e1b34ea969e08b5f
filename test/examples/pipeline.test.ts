import { spawnSync } from 'node:child_process'
import { type App, type Stack, Stage } from 'aws-cdk-lib'
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { ACCOUNTS, CLUSTERS, REGIONS, ROLE_NAME, THEIR_CLUSTERS } from '../../examples/pipeline/fleet.ts'
import { PipelineStack } from '../../examples/pipeline/pipeline-stack.ts'
import { emptyBundles, resourcesOf, testApp, variablesOf } from '../../infra/constructs/template.fixtures.ts'

const CONNECTION = 'arn:aws:codeconnections:eu-west-1:111111111111:connection/1'

interface PipelineStage {
  readonly Name: string
  readonly Actions: readonly { readonly Name: string; readonly RunOrder: number }[]
}

describe('the example of a pipeline', () => {
  const bundles = emptyBundles()
  const app: App = testApp(bundles)
  const stack = new PipelineStack(app, 'Pipeline', {
    env: { account: ACCOUNTS.ours, region: REGIONS.production },
    source: { repository: 'example/fleet', branch: 'main', connectionArn: CONNECTION },
    bundles,
  })
  const template = Template.fromStack(stack)
  const [[, pipeline] = []] = resourcesOf(template, 'AWS::CodePipeline::Pipeline')
  const stages = pipeline?.Properties.Stages as readonly PipelineStage[]

  const stackOf = (stage: string): Stack => {
    const found = stack.node.findChild(stage)
    if (!Stage.isStage(found)) throw new Error(`${stage} is no stage`)
    const [child] = found.node.children
    return child as Stack
  }
  const actionsOf = (stage: string): string[] =>
    (stages.find(({ Name }) => Name === stage)?.Actions ?? [])
      .toSorted((a, b) => a.RunOrder - b.RunOrder)
      .map(({ Name }) => Name)
  const clustersOf = (stage: string): unknown =>
    JSON.parse(variablesOf(stackOf(stage), 'Reconcile').SLICEFLOW_CLUSTERS ?? '')

  it('goes from staging to the first cluster of production, and then to all others', () => {
    const names = stages.map(({ Name }) => Name)
    expect(names.slice(-4)).toEqual(['Staging', 'First', 'TheirAccess', 'Production'])
    expect(clustersOf('Staging')).toEqual(CLUSTERS.staging)
    expect(clustersOf('First')).toEqual(CLUSTERS.first)
    expect(clustersOf('Production')).toEqual(CLUSTERS.others)
  })

  it.each(['Staging', 'First', 'TheirAccess', 'Production'])(
    'is synthesized without credentials, and without a word to whoever does, as to %s',
    (stage) => {
      const reported = Annotations.fromStack(stackOf(stage))
      expect(reported.findError('*', Match.anyValue())).toEqual([])
      expect(reported.findWarning('*', Match.anyValue())).toEqual([])
      expect(JSON.stringify(Template.fromStack(stackOf(stage)).toJSON())).not.toContain('dummy1a')
    },
  )

  it('waits after each deployment until it was quiet, and for somebody before all clusters', () => {
    for (const stage of ['Staging', 'First', 'Production'])
      expect(actionsOf(stage)).toEqual([
        expect.stringContaining('Prepare'),
        expect.stringContaining('Deploy'),
        `${stage}Quiet`,
      ])
    expect(actionsOf('TheirAccess')[0]).toBe('ToAllClusters')
  })

  it('asks for the alarm of the very stage, and may ask CloudWatch for nothing else', () => {
    const projects = resourcesOf(template, 'AWS::CodeBuild::Project')
    const texts = projects.map(([, { Properties }]) => JSON.stringify(Properties))
    expect(texts.filter((text) => text.includes('describe-alarms'))).toHaveLength(3)
    const { Actions } = stages.find(({ Name }) => Name === 'First') ?? { Actions: [] }
    expect(JSON.stringify(Actions)).toMatch(/ALARM.{0,80}#\{PipelineFirst\w+\.CriticalAlarm\}/)
    const outputs = Template.fromStack(stackOf('First')).findOutputs('CriticalAlarm')
    expect(Object.keys(outputs)).toHaveLength(1)
    const actions = resourcesOf(template, 'AWS::IAM::Policy').flatMap(
      ([, { Properties }]) => JSON.stringify(Properties).match(/"cloudwatch:\w+"/g) ?? [],
    )
    expect(new Set(actions)).toEqual(new Set(['"cloudwatch:DescribeAlarms"']))
  })

  it.each([
    ['OK', 0],
    ['ALARM', 1],
    ['INSUFFICIENT_DATA', 1],
  ])('goes on from an alarm that is %s with exit code %i', (state, code) => {
    const projects = resourcesOf(template, 'AWS::CodeBuild::Project')
    const specs = projects.map(([, { Properties }]) => (Properties.Source as { BuildSpec: string }).BuildSpec)
    const spec = specs.find((text) => typeof text === 'string' && text.includes('describe-alarms')) ?? ''
    const { phases } = JSON.parse(spec) as { phases: { build: { commands: string[] } } }
    // Shell functions stand in for the command of AWS, and for the time.
    const script = `aws() { echo ${state}; }; sleep() { :; }; ALARM=critical; ${phases.build.commands.join('\n')}`
    expect(spawnSync('sh', ['-c', script]).status).toBe(code)
  })

  it('gives the clusters of the second account to the roles of production alone', () => {
    const theirs = stackOf('TheirAccess')
    expect([theirs.account, theirs.region]).toEqual([ACCOUNTS.theirs, REGIONS.production])
    const access = Template.fromStack(theirs)
    access.hasResourceProperties('AWS::IAM::Role', {
      RoleName: ROLE_NAME,
      AssumeRolePolicyDocument: {
        Statement: [
          Match.objectLike({
            Condition: {
              StringEquals: { 'sts:ExternalId': 'sliceflow-production' },
              ArnLike: { 'aws:PrincipalArn': `arn:aws:iam::${ACCOUNTS.ours}:role/Production-*` },
            },
          }),
        ],
      },
    })
    const entries = resourcesOf(access, 'AWS::EKS::AccessEntry').map(([, { Properties }]) => Properties)
    expect(entries.map(({ ClusterName }) => ClusterName)).toEqual(THEIR_CLUSTERS)
    for (const { KubernetesGroups } of entries)
      expect(KubernetesGroups).toEqual(['sliceflow', 'sliceflow-relay', 'sliceflow-canary'])
    const production = stackOf('Production')
    expect(production.stackName).toMatch(/^Production-/)
    Template.fromStack(production).hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: 'sts:AssumeRole',
            Resource: `arn:aws:iam::${ACCOUNTS.theirs}:role/${ROLE_NAME}`,
          }),
        ]),
      },
    })
  })

  it('deploys each stage to its account and region', () => {
    const places = ['Staging', 'First', 'Production']
      .map(stackOf)
      .map(({ account, region }) => [account, region])
    expect(places).toEqual([
      [ACCOUNTS.ours, REGIONS.staging],
      [ACCOUNTS.ours, REGIONS.production],
      [ACCOUNTS.ours, REGIONS.production],
    ])
  })
})
