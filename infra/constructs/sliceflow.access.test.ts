import { Stack } from 'aws-cdk-lib'
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions'
import { beforeAll, describe, expect, it } from 'vitest'
import { readRoles } from '../../test/end-to-end/cluster-role.ts'
import { kubernetesGroup, Sliceflow } from './index.ts'
import {
  EKS,
  ELSEWHERE,
  emptyBundles,
  type Resource,
  resourcesOf,
  SEARCH,
  SECRET,
  stackOf,
  statementsOf,
  templateOf,
  testApp,
} from './template.fixtures.ts'

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

/** Actions that may be done to everything, and why. */
const STATED: Readonly<Record<string, string>> = {
  'ecr:GetAuthorizationToken': 'ECR’s tokens are for the whole registry',
}
describe('the access of a deployment', () => {
  const bundles = emptyBundles()
  let template: Template

  beforeAll(() => {
    template = templateOf({ bundles, clusters: [EKS, SECRET, ELSEWHERE] })
  })
  const of = (type: string): [string, Resource][] => resourcesOf(template, type)

  describe('lets nobody do more than is needed', () => {
    it('to everything only where AWS knows no resources', () => {
      const wide = statementsOf(template).filter(({ Resource }) =>
        asList(Resource).some((one) => typeof one === 'string' && one.includes('*')),
      )
      expect([...new Set(wide.map(({ Action }) => asList(Action).join()))].toSorted()).toEqual(
        Object.keys(STATED).toSorted(),
      )
    })

    it('and no action by a wildcard', () => {
      const actions = statementsOf(template).flatMap(({ Action }) => asList(Action))
      expect(actions.filter((action) => String(action).includes('*'))).toEqual([])
    })

    it('with managed policies of AWS', () => {
      template.allResourcesProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() })
    })

    it('describes EKS clusters of the list, reads the secret, and assumes the role of the other account', () => {
      for (const role of ['ReconcileRole', 'AuditRole', 'RelayTaskRole']) {
        expect(statementsOf(template, `${role}DefaultPolicy`)).toEqual(
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
      AuditRole: ['sliceflow-relay'],
      RelayTaskRole: ['sliceflow-relay'],
    })
  })

  it('keeps them where a cluster is named otherwise: one of the same role could not be made before it is gone', () => {
    const idsIn = (name: string): string[] =>
      resourcesOf(templateOf({ bundles, clusters: [{ ...EKS, name }] }), 'AWS::EKS::AccessEntry').map(
        ([id]) => id,
      )
    expect(idsIn('renamed')).toEqual(idsIn(EKS.name))
  })

  it.each([
    ['another account', { roleArn: ELSEWHERE.roleArn }],
    ['another region', { region: 'us-east-1' }],
  ])('gives none in a cluster of %s, which CloudFormation cannot write to', (_, more) => {
    expect(groupsOf(templateOf({ bundles, clusters: [{ ...EKS, ...more }] }))).toEqual({})
  })

  const rolesArn = (role: string): string =>
    `"$(aws cloudformation describe-stacks --region eu-west-1 --stack-name Test --query "Stacks[0].Outputs[?OutputKey=='Sliceflow${role}RoleArn'].OutputValue" --output text)"`
  const command = (region: string, principal: string, ...groups: string[]): string =>
    `aws eks create-access-entry --region ${region} --cluster-name prod --principal-arn ${principal} --kubernetes-groups ${groups.join(' ')}`
  it.each([
    [
      'another account, by its role',
      { roleArn: ELSEWHERE.roleArn },
      `cluster "eu-1" is in another account, by ${ELSEWHERE.roleArn}: this stack cannot make its access entries. Once it is deployed, run:`,
      [command('eu-west-1', ELSEWHERE.roleArn, 'sliceflow', 'sliceflow-relay')],
    ],
    [
      'another region, by the outputs of the stack',
      { region: 'us-east-1' },
      'cluster "eu-1" is in us-east-1: this stack cannot make its access entries. Once it is deployed, run:',
      [
        command('us-east-1', rolesArn('Reconcile'), 'sliceflow'),
        command('us-east-1', rolesArn('Audit'), 'sliceflow-relay'),
        command('us-east-1', rolesArn('Relay'), 'sliceflow-relay'),
      ],
    ],
  ])('says by which commands a cluster of %s, lets it in', (_, more, why, commands) => {
    const stack = stackOf({ bundles, clusters: [{ ...EKS, ...more }] })
    const [warning, ...others] = Annotations.fromStack(stack).findWarning('*', Match.anyValue())
    expect(others).toEqual([])
    expect(
      String(warning?.entry.data)
        .split('\n')
        .slice(0, 1 + commands.length),
    ).toEqual([why, ...commands.slice(0, -1), expect.stringContaining(commands.at(-1) ?? '')])
    const named = [...JSON.stringify(commands).matchAll(/OutputKey=='(\w+)'/g)].map(([, id]) => id)
    expect(Object.keys(Template.fromStack(stack).findOutputs('*'))).toEqual(expect.arrayContaining(named))
  })

  const forFound = (principal: string, ...groups: string[]): string =>
    `for arn in $(aws resourcegroupstaggingapi get-resources --region eu-west-1 --resource-type-filters eks:cluster --tag-filters '[{"Key":"sliceflow.dev/manage"}]' --query 'ResourceTagMappingList[].ResourceARN' --output text); do ${command('eu-west-1', principal, ...groups).replace('prod', '"$(basename $arn)"')}; done`
  it.each([
    [
      'its own account, by the outputs of the stack',
      {},
      'clusters in eu-west-1 are found by the tag sliceflow.dev/manage: this stack cannot make their access entries. Once it is deployed, and again for clusters that come later, run:',
      [
        forFound(rolesArn('Reconcile'), 'sliceflow'),
        forFound(rolesArn('Audit'), 'sliceflow-relay'),
        forFound(rolesArn('Relay'), 'sliceflow-relay'),
      ],
    ],
    [
      'another account, by its role and the construct for it',
      { roleArn: ELSEWHERE.roleArn },
      'clusters in eu-west-1 of account 210987654321 are found by the tag sliceflow.dev/manage: this stack cannot make their access entries. Let account 210987654321 deploy the construct AccountAccess, or, with its credentials, and again for clusters that come later, run:',
      [forFound(ELSEWHERE.roleArn, 'sliceflow', 'sliceflow-relay')],
    ],
  ])('says by which commands clusters that a tag finds let it in, those of %s', (_, more, why, commands) => {
    const stack = stackOf({ bundles, clusters: [{ ...SEARCH, ...more }] })
    const [warning, ...others] = Annotations.fromStack(stack).findWarning('*', Match.anyValue())
    expect(others).toEqual([])
    const lines = String(warning?.entry.data).split('\n')
    expect(lines.slice(0, 1 + commands.length)).toEqual([
      why,
      ...commands.slice(0, -1),
      expect.stringContaining(commands.at(-1) ?? ''),
    ])
  })

  it('lets clusters in only where a stack that names no region is deployed to theirs', () => {
    const agnostic = new Stack(testApp(bundles), 'Agnostic')
    const clusters = [EKS, { ...EKS, name: 'us-1', region: 'us-east-1' }]
    new Sliceflow(agnostic, 'Sliceflow', { clusters, bundles })
    const { Conditions = {} } = Template.fromStack(agnostic).toJSON()
    const entries = resourcesOf(Template.fromStack(agnostic), 'AWS::EKS::AccessEntry') as unknown as [
      string,
      { readonly Condition: string },
    ][]
    expect(entries).toHaveLength(6)
    for (const [id, { Condition }] of entries)
      expect(Conditions[Condition]).toEqual({
        'Fn::Equals': [{ Ref: 'AWS::Region' }, id.includes('useast1') ? 'us-east-1' : 'eu-west-1'],
      })
    const reported = Annotations.fromStack(agnostic).findWarning(
      '*',
      Match.stringLikeRegexp('names no region'),
    )
    expect(reported.map(({ entry }) => String(entry.data).split('\n')[1])).toEqual([
      expect.stringContaining('--region eu-west-1 --cluster-name prod'),
      expect.stringContaining('--region us-east-1 --cluster-name prod'),
    ])
    expect(reported.every(({ entry }) => !String(entry.data).includes('Token'))).toBe(true)
  })

  it.each([
    ['that is its own', {}],
    ['whose access others manage', { clusters: [ELSEWHERE, SEARCH], accessEntries: false }],
  ])('says nothing of a cluster %s', (_, props) => {
    Annotations.fromStack(stackOf({ bundles, ...props })).hasNoWarning('*', Match.anyValue())
  })

  it('gives them a group that may only read where it compares only', () => {
    const shadow = templateOf({ bundles, clusters: [EKS], settings: { shadow: true } })
    expect(Object.values(groupsOf(shadow))).toEqual(Array(3).fill(['sliceflow-read-only']))
    expect(JSON.stringify(shadow.findOutputs('*'))).toContain('rbac --read-only | kubectl apply')
  })

  it('hands the mirroring of Endpoints to relay and functions, and says what clusters need for it', () => {
    const template = templateOf({ bundles, clusters: [EKS], settings: { mirrorEndpoints: true } })
    const texts = (type: string): string[] =>
      Object.values(template.findResources(type)).map((one) => JSON.stringify(one))
    const name = 'SLICEFLOW_MIRROR_ENDPOINTS'
    expect(texts('AWS::ECS::TaskDefinition')).toEqual([
      expect.stringContaining(`{"Name":"${name}","Value":"true"}`),
    ])
    const functions = texts('AWS::Lambda::Function').filter((text) => text.includes(`"${name}":"true"`))
    expect(functions.length).toBeGreaterThanOrEqual(2)
    expect(JSON.stringify(template.findOutputs('*'))).toContain('rbac --mirroring | kubectl apply')
    const without = templateOf({ bundles, clusters: [EKS] })
    expect(JSON.stringify(without.findOutputs('*'))).not.toContain('--mirroring')
  })

  it('names only groups that a ClusterRole of infra/rbac is bound to', async () => {
    const files = await Promise.all(
      ['cluster-role.yaml', 'read-only.yaml', 'canary.yaml', 'mirroring.yaml'].map((file) => readRoles(file)),
    )
    const bound = files.flatMap(({ bindings }) =>
      bindings.flatMap(({ subjects }) => subjects.filter(({ kind }) => kind === 'Group')),
    )
    const names = new Set(bound.map(({ name }) => name))
    for (const user of ['reconcile', 'audit', 'relay', 'viewPublisher', 'canary'] as const)
      for (const shadow of [false, true]) expect(names).toContain(kubernetesGroup(user, { shadow }))
  })
})
