import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { readContext } from './context.ts'
import { contextOf, type DeployOptions } from './flags.ts'

const CLUSTERS = '[{"name":"eu-1","kind":"eks","clusterName":"eu-1","region":"eu-west-1"}]'
const OPTIONS: DeployOptions = { cluster: [], stack: 'Sliceflow', set: [], context: [] }
const SECRET = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:edge-AbCdEf'

describe('the context of the app', () => {
  it('gives clusters, settings and what else there is, and minds nothing of CDK’s own', () => {
    expect(
      readContext({
        clusters: CLUSTERS,
        maximumConcurrency: '20',
        keepState: 'true',
        natGateways: '1',
        'aws:cdk:enable-path-metadata': true,
        '@aws-cdk/core:x': true,
      }),
    ).toEqual({
      clusters: JSON.parse(CLUSTERS),
      settings: { maximumConcurrency: '20' },
      stackName: 'Sliceflow',
      keepState: true,
      natGateways: 1,
    })
  })

  it.each([
    ['no clusters', {}, /^clusters: none is given; name one with --cluster/],
    [
      'a region missing',
      { clusters: '[{"name":"a","kind":"eks","clusterName":"a"}]' },
      /^cluster "a": region must be given/,
    ],
    [
      'a flag that is none',
      { clusters: CLUSTERS, keepState: 'yes' },
      /^context keepState: "yes" is neither true nor false/,
    ],
    [
      'a sink of views without a spec',
      { clusters: CLUSTERS, viewsEventBus: 'views' },
      /^context viewsSpec: must be given with the other keys of views/,
    ],
    [
      'an account that is none',
      { clusters: CLUSTERS, account: 'prod' },
      /^context account: "prod" is not an account of AWS, 12 digits$/,
    ],
  ])('refuses %s in one line', (_, context, problem) => {
    expect(() => readContext(context)).toThrow(problem)
  })
})

describe('the flags of a deployment', () => {
  const clustersOf = (...cluster: string[]) => {
    const context = contextOf({ ...OPTIONS, cluster, region: 'eu-west-1' }, {})
    return readContext(Object.fromEntries(context.map((pair) => pair.split(/=(.*)/s, 2)))).clusters
  }

  it('name EKS clusters by name or ARN, and others by a secret', () => {
    expect(
      clustersOf('eu-1', 'us-1=arn:aws:eks:us-east-1:123456789012:cluster/prod', `edge=${SECRET}`),
    ).toEqual([
      { name: 'eu-1', kind: 'eks', clusterName: 'eu-1', region: 'eu-west-1' },
      { name: 'us-1', kind: 'eks', clusterName: 'prod', region: 'us-east-1' },
      { name: 'edge', kind: 'secret', secretArn: SECRET },
    ])
  })

  const OURS = 'us-1=arn:aws:eks:us-east-1:123456789012:cluster/prod'
  const THEIRS = 'theirs=arn:aws:eks:eu-west-1:222222222222:cluster/orders'
  const ROLE = 'arn:aws:iam::222222222222:role/sliceflow'

  it('deploy to the account of the clusters that are named by ARN, and name another’s by a role of it', () => {
    const context = contextOf({ ...OPTIONS, cluster: [OURS, `${THEIRS},${ROLE},secret`] }, {})
    expect(context).toContain('account=123456789012')
    expect(readContext(Object.fromEntries(context.map((pair) => pair.split(/=(.*)/s, 2))))).toMatchObject({
      account: '123456789012',
      clusters: [
        { name: 'us-1', clusterName: 'prod' },
        { name: 'theirs', clusterName: 'orders', roleArn: ROLE, externalId: 'secret' },
      ],
    })
    expect(contextOf({ ...OPTIONS, cluster: [`${THEIRS},${ROLE}`] }, {}).join(' ')).not.toContain('account=')
    expect(contextOf({ ...OPTIONS, cluster: [OURS], account: '123456789012' }, {})).toContain(
      'account=123456789012',
    )
  })

  it('take a list of many from a file, where the command was given, beside others', () => {
    const folder = temporaryFolder()
    const many = Array.from({ length: 40 }, (_, index) => ({
      ...JSON.parse(CLUSTERS)[0],
      name: `c-${index}`,
    }))
    writeFileSync(join(folder, 'clusters.json'), JSON.stringify(many))
    writeFileSync(join(folder, 'clusters.yaml'), '- {name: edge, kind: secret, secretArn: none}\n')
    writeFileSync(join(folder, 'none.yaml'), 'clusters: []\n')
    const given = (clusters: string) =>
      contextOf({ ...OPTIONS, cluster: [OURS], clusters }, { INIT_CWD: folder })[0] ?? ''
    const list = JSON.parse(given('clusters.json').slice('clusters='.length))
    expect(list.map(({ name }: { name: string }) => name)).toEqual(['us-1', ...many.map(({ name }) => name)])
    expect(() => readContext({ clusters: given('clusters.yaml').slice('clusters='.length) })).toThrow(
      'cluster "edge": secretArn must be the ARN of a secret',
    )
    expect(() => given('none.yaml')).toThrow(
      '--clusters none.yaml: must have a list of clusters, in JSON or YAML',
    )
    expect(() => given('absent.json')).toThrow(/^--clusters absent.json: ENOENT/)
  })

  it('take the path of a spec from where the command was given', () => {
    const context = contextOf({ ...OPTIONS, context: ['viewsSpec=views.yaml'] }, { INIT_CWD: '/home/me' })
    expect(context).toContain('viewsSpec=/home/me/views.yaml')
  })

  it('give the keys of a network that is there, with true for a flag without a value', () => {
    const context = contextOf({ ...OPTIONS, vpcId: 'vpc-1', functionsInVpc: true }, {})
    expect(context).toEqual(['stackName=Sliceflow', 'vpcId=vpc-1', 'functionsInVpc=true'])
  })

  it('search by a tag, in the region of the environment', () => {
    const context = contextOf(
      { ...OPTIONS, tag: 'team=net', set: ['relayShards=2'] },
      { AWS_REGION: 'eu-west-1' },
    )
    expect(context).toEqual([
      'clusters=[{"kind":"discover","region":"eu-west-1","tagKey":"team","tagValue":"net"}]',
      'stackName=Sliceflow',
      'region=eu-west-1',
      'relayShards=2',
    ])
  })

  it.each([
    [
      'no region',
      { ...OPTIONS, cluster: ['eu-1'] },
      /^--cluster eu-1: in which region\? Give --region, or set AWS_REGION$/,
    ],
    ['a URL', { ...OPTIONS, cluster: ['a=http://10.0.0.1'] }, /^--cluster a: a URL alone is not enough; put/],
    [
      'a kubeconfig',
      { ...OPTIONS, cluster: ['a=~/.kube/config'] },
      /^--cluster a: a kubeconfig is only for `sliceflow run`/,
    ],
    [
      'a cluster of another account than the one to deploy to',
      { ...OPTIONS, cluster: [THEIRS], account: '123456789012' },
      /^--cluster theirs: the cluster is in account 222222222222, and the deployment in 123456789012; give a role of its account as well: --cluster theirs=arn:aws:eks:eu-west-1:222222222222:cluster\/orders,arn:aws:iam::222222222222:role\/ROLE/,
    ],
    [
      'such a cluster where the context names the account',
      { ...OPTIONS, cluster: [THEIRS], context: ['account=123456789012'] },
      /^--cluster theirs: the cluster is in account 222222222222/,
    ],
    [
      'clusters of two accounts without one to deploy to',
      { ...OPTIONS, cluster: [OURS, THEIRS] },
      /^--cluster: the clusters are in the accounts 123456789012 and 222222222222; name the one to deploy to with --account/,
    ],
    [
      'another ARN',
      { ...OPTIONS, cluster: ['a=arn:aws:s3:::b'] },
      /^--cluster a: "arn:aws:s3:::b" is neither/,
    ],
    [
      'a setting without a value',
      { ...OPTIONS, set: ['relayShards'] },
      /^--set relayShards: must be name=value/,
    ],
  ])('refuse %s in one line', (_, options, problem) => {
    expect(() => contextOf(options, {})).toThrow(problem)
  })
})
