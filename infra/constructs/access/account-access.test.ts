import { spawnSync } from 'node:child_process'
import { App, Stack } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { Role } from 'aws-cdk-lib/aws-iam'
import { describe, expect, it } from 'vitest'
import { checkClusters } from '../../../shared/clusters/index.ts'
import { AccountAccess, type AccountAccessProps, DeploymentError } from '../index.ts'
import { resourcesOf, statementsOf } from '../template.fixtures.ts'

const TRUSTED = ['arn:aws:iam::111111111111:role/Production-*']
const ENV = { account: '222222222222', region: 'eu-west-1' }
const ROLE = 'arn:aws:iam::222222222222:role/sliceflow-clusters'

function stackWith(props: Partial<AccountAccessProps>): Stack {
  const stack = new Stack(new App(), 'Access', { env: ENV })
  new AccountAccess(stack, 'Access', { trusted: TRUSTED, ...props })
  return stack
}
const templateWith = (props: Partial<AccountAccessProps>): Template => Template.fromStack(stackWith(props))

const arnOf = (name: string) => ({
  'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:eks:eu-west-1:222222222222:cluster/${name}`]],
})

describe('the access that an account gives to a deployment', () => {
  it('is a role that only the roles of the deployment may assume, by the external ID', () => {
    const template = templateWith({
      clusters: ['orders'],
      externalId: 'fleet',
      roleName: 'sliceflow-clusters',
    })
    template.hasResourceProperties('AWS::IAM::Role', {
      RoleName: 'sliceflow-clusters',
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Action: 'sts:AssumeRole',
            Effect: 'Allow',
            Principal: {
              AWS: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':iam::111111111111:root']] },
            },
            Condition: {
              StringEquals: { 'sts:ExternalId': 'fleet' },
              ArnLike: { 'aws:PrincipalArn': TRUSTED[0] },
            },
          },
        ],
        Version: Match.anyValue(),
      },
    })
  })

  it('of clusters by name is to describe these alone', () => {
    expect(statementsOf(templateWith({ clusters: ['orders-1', 'orders-2'] }))).toEqual([
      { Action: 'eks:DescribeCluster', Effect: 'Allow', Resource: [arnOf('orders-1'), arnOf('orders-2')] },
    ])
  })

  it('of clusters by a tag is to search the region, and to describe those that have it', () => {
    expect(statementsOf(templateWith({ tag: { tagKey: 'manage', tagValue: 'yes' } }))).toEqual([
      {
        Action: 'tag:GetResources',
        Effect: 'Allow',
        Resource: '*',
        Condition: { StringEquals: { 'aws:RequestedRegion': ['eu-west-1'] } },
      },
      {
        Action: 'eks:DescribeCluster',
        Effect: 'Allow',
        Resource: arnOf('*'),
        Condition: { StringEquals: { 'aws:ResourceTag/manage': 'yes' } },
      },
    ])
  })

  it.each([
    ['what each deployment has', {}, ['sliceflow', 'sliceflow-relay']],
    [
      'what it has',
      { users: ['reconcile', 'canary', 'viewPublisher'] },
      ['sliceflow', 'sliceflow-canary', 'sliceflow-view-publisher'],
    ],
    ['one that only reads', { shadow: true }, ['sliceflow-read-only']],
  ] as const)('is an access entry in each cluster with the groups of %s', (_, props, groups) => {
    const template = templateWith({ clusters: ['orders-1', 'orders-2'], ...props })
    const entries = resourcesOf(template, 'AWS::EKS::AccessEntry').map(([, { Properties }]) => Properties)
    expect(entries).toEqual(
      ['orders-1', 'orders-2'].map((ClusterName) => ({
        ClusterName,
        KubernetesGroups: groups,
        PrincipalArn: { 'Fn::GetAtt': [expect.stringMatching(/Role/), 'Arn'] },
        Type: 'STANDARD',
      })),
    )
  })

  it('of another region belongs to the same role', () => {
    const stack = new Stack(new App(), 'Access', { env: { ...ENV, region: 'us-east-1' } })
    const role = Role.fromRoleArn(stack, 'Known', ROLE)
    const access = new AccountAccess(stack, 'Access', { trusted: TRUSTED, clusters: ['orders'], role })
    const template = Template.fromStack(stack)
    template.resourceCountIs('AWS::IAM::Role', 0)
    template.hasResourceProperties('AWS::IAM::Policy', { Roles: ['sliceflow-clusters'] })
    template.hasResourceProperties('AWS::EKS::AccessEntry', { PrincipalArn: ROLE })
    expect(access.role).toBe(role)
  })

  /** Fills in what CloudFormation would. */
  const outputOf = (template: Template, name: string): string => {
    const [{ Value } = { Value: undefined }] = Object.values(template.findOutputs('*')).filter((_, index) =>
      Object.keys(template.findOutputs('*'))[index]?.includes(name),
    )
    const parts: unknown[] = typeof Value === 'string' ? [Value] : (Value?.['Fn::Join'][1] ?? [])
    return parts.map((part) => (typeof part === 'string' ? part : ROLE)).join('')
  }

  it('says what the deployment has to search for', () => {
    const template = templateWith({ tag: { tagKey: 'manage' }, externalId: 'fleet' })
    const search = JSON.parse(outputOf(template, 'Search'))
    expect(checkClusters([search])).toEqual([
      { kind: 'discover', region: 'eu-west-1', tagKey: 'manage', roleArn: ROLE, externalId: 'fleet' },
    ])
  })

  it.each([
    { tagKey: 'manage', tagValue: 'yes' },
    { tagKey: "o'brien, $HOME", tagValue: `"a" 'b', \\ and more` },
    { tagKey: 'manage' },
  ])('lets in what the tag finds by a command that can be typed as it stands: %j', (tag) => {
    const command = outputOf(templateWith({ tag }), 'AccessEntries')
    const aws = `aws() { case "$1" in resourcegroupstaggingapi) printf '%s\\n' "$*" >&2; printf 'arn:aws:eks:eu-west-1:2:cluster/a\\tarn:aws:eks:eu-west-1:2:cluster/b\\n';; *) echo "$*";; esac; }`
    const { stdout, stderr } = spawnSync('sh', ['-c', `${aws}\n${command}`], { encoding: 'utf8' })
    const [, filters = ''] =
      /--region eu-west-1 --resource-type-filters eks:cluster --tag-filters (.*) --query/.exec(stderr) ?? []
    const { tagKey: Key, tagValue } = tag
    expect(JSON.parse(filters)).toEqual([{ Key, ...(tagValue !== undefined && { Values: [tagValue] }) }])
    const entry = (name: string): string =>
      `eks create-access-entry --region eu-west-1 --cluster-name ${name} --principal-arn ${ROLE} --kubernetes-groups sliceflow sliceflow-relay`
    expect(stdout.trim().split('\n')).toEqual([entry('a'), entry('b')])
  })

  const CLUSTERS = { clusters: ['orders'] }
  it.each<[string, Partial<AccountAccessProps>, RegExp]>([
    ['nobody who is trusted', { ...CLUSTERS, trusted: [] }, /^trusted: name the deployment's roles, as its/],
    [
      'everybody who is trusted',
      { ...CLUSTERS, trusted: ['arn:aws:iam::111111111111:role/*'] },
      /^trusted: "arn:aws:iam::111111111111:role\/\*" is every role of its account; name some/,
    ],
    ['an account in place of a role', { ...CLUSTERS, trusted: ['111111111111'] }, /is not the ARN of a role/],
    [
      'roles of two accounts',
      { ...CLUSTERS, trusted: [...TRUSTED, 'arn:aws:iam::333333333333:role/Sliceflow'] },
      /^trusted: these are roles of several accounts \(111111111111, 333333333333\)/,
    ],
    ['no cluster at all', {}, /^tag, clusters: give at least one of both/],
    [
      'an ARN for a name',
      { clusters: ['arn:aws:eks:eu-west-1:2:cluster/a'] },
      /is no name of an EKS cluster/,
    ],
    ['a cluster twice', { clusters: ['a', 'b', 'a'] }, /^clusters: "a" is given twice$/],
    ['an external ID that IAM refuses', { ...CLUSTERS, externalId: 'a b' }, /^externalId: must be 2 to 1224/],
    ['no part', { ...CLUSTERS, users: [] }, /^users: name the parts/],
  ])('is refused before CloudFormation with %s', (_, props, problem) => {
    expect(() => stackWith(props)).toThrow(DeploymentError)
    expect(() => stackWith(props)).toThrow(problem)
  })
})
