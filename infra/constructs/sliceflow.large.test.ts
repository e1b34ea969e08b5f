import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Stack, Stage } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { ContainerImage } from 'aws-cdk-lib/aws-ecs'
import { beforeAll, describe, expect, it } from 'vitest'
import { readClusters, readSettings } from '../../functions/environment/index.ts'
import type { ClusterConfig } from '../../shared/clusters/index.ts'
import { Sliceflow, type SliceflowProps } from './index.ts'
import { EKS, emptyBundles, resourcesOf, statementsOf, testApp, variablesOf } from './template.fixtures.ts'

const ACCOUNTS = ['111111111111', '222222222222', '333333333333'] as const
const LAMBDA_BYTES = 4096
/** CloudFormation's own limits: of a template's resources, and of its bytes. */
const [RESOURCES, BYTES] = [500, 1_000_000]

/** Forty clusters in three accounts, of which the first is the deployment's own. */
const CLUSTERS: readonly ClusterConfig[] = Array.from({ length: 40 }, (_, index) => ({
  ...EKS,
  name: `production-cluster-${index}`,
  clusterName: `production-cluster-${index}`,
  ...(index % 3 > 0 && {
    roleArn: `arn:aws:iam::${ACCOUNTS[index % 3]}:role/platform/sliceflow-clusters`,
    externalId: 'sliceflow-production',
  }),
}))
const GRANTS = Array.from(
  { length: 60 },
  (_, index) =>
    `production-cluster-${index % 40}/team-${index}=production-cluster-${(index + 1) % 40}/shared`,
).join()

describe('forty clusters in three accounts, with sixty grants', () => {
  const bundles = emptyBundles()
  const synthesized = (props: Partial<SliceflowProps> = {}): Stack => {
    const stack = new Stack(testApp(bundles), 'Test', { env: { region: 'eu-west-1', account: ACCOUNTS[0] } })
    const settings = { allowedPods: GRANTS }
    new Sliceflow(stack, 'Sliceflow', { clusters: CLUSTERS, canary: true, settings, bundles, ...props })
    return stack
  }
  let stack: Stack
  let template: Template

  beforeAll(() => {
    stack = synthesized()
    template = Template.fromStack(stack)
  })

  it.each(['Reconcile', 'Audit', 'Canary', 'RelayTask0'])(
    'are those that %s reads, by what lies beside its code',
    (part) => {
      const variables = variablesOf(stack, part)
      expect(readClusters(variables)).toEqual(CLUSTERS)
      expect(readSettings(variables, { warn: () => expect.unreachable() }).allowedPods).toBe(GRANTS)
    },
  )

  it('can be read by the user of the image and of a function, whoever synthesizes', () => {
    const umask = process.umask(0o077)
    try {
      const fresh = synthesized({ clusters: CLUSTERS.slice(2) })
      Template.fromStack(fresh)
      const outdir = Stage.of(fresh)?.assetOutdir ?? ''
      const folders = readdirSync(outdir).filter((name) => /^(asset\.|bundle-)/.test(name))
      const files = folders.map((name) => join(outdir, name, 'deployment.json')).filter(existsSync)
      expect(files.length).toBeGreaterThan(2)
      expect(new Set(files.map((file) => statSync(file).mode & 0o777))).toEqual(new Set([0o644]))
      expect(folders.filter((name) => !/^(asset\.[0-9a-f]{64}|bundle-[0-9a-f]{32})$/.test(name))).toEqual([])
    } finally {
      process.umask(umask)
    }
  })

  it('leave room in the environment of each function', () => {
    const functions = resourcesOf(template, 'AWS::Lambda::Function')
    expect(functions).toHaveLength(3)
    for (const [id, { Properties }] of functions)
      expect([id, JSON.stringify(Properties.Environment).length < LAMBDA_BYTES / 2]).toEqual([id, true])
  })

  it('stay within what CloudFormation and IAM take', () => {
    const { Resources } = template.toJSON() as { Resources: object }
    expect(Object.keys(Resources).length).toBeLessThan(RESOURCES)
    expect(Buffer.byteLength(JSON.stringify(template.toJSON()))).toBeLessThan(BYTES)
    // IAM’s limit of all inline policies of a role.
    for (const [, { Properties }] of resourcesOf(template, 'AWS::IAM::Policy'))
      expect(JSON.stringify(Properties.PolicyDocument).length).toBeLessThan(10_240)
  })

  it('make another version of the code when one of them changes', () => {
    const keysOf = (one: Template): unknown[] => [
      ...resourcesOf(one, 'AWS::Lambda::Function').map(([, { Properties }]) => Properties.Code),
      ...resourcesOf(one, 'AWS::ECS::TaskDefinition').map(([, { Properties }]) =>
        (Properties.ContainerDefinitions as { Image: unknown }[]).map(({ Image }) => Image),
      ),
    ]
    const before = keysOf(template)
    expect(keysOf(Template.fromStack(synthesized()))).toEqual(before)
    const after = keysOf(Template.fromStack(synthesized({ clusters: CLUSTERS.slice(1) })))
    expect(before.filter((key) => JSON.stringify(after).includes(JSON.stringify(key)))).toEqual([])
  })

  it('are five hundred where CloudFormation has the room', () => {
    const clusters = Array.from({ length: 500 }, (_, index) => ({
      ...EKS,
      name: `c-${index}`,
      clusterName: `c-${index}`,
      roleArn: `arn:aws:iam::${ACCOUNTS[1]}:role/sliceflow`,
    }))
    expect(readClusters(variablesOf(synthesized({ clusters }), 'Reconcile'))).toHaveLength(500)
  })

  it('are in the environment of a relay whose image is built elsewhere, as far as ECS takes them', () => {
    const relayImage = ContainerImage.fromRegistry('registry.example.org/sliceflow-relay')
    const variables = variablesOf(synthesized({ relayImage }), 'RelayTask0')
    expect(readClusters(variables)).toEqual(CLUSTERS)
    expect(variables.SLICEFLOW_ALLOWED_PODS).toBe(GRANTS)
    const clusters = Array.from({ length: 400 }, (_, index) => ({
      ...EKS,
      name: `c-${index}`,
      clusterName: `c-${index}`,
      roleArn: `arn:aws:iam::${ACCOUNTS[1]}:role/platform/sliceflow-clusters`,
    }))
    expect(() => synthesized({ relayImage, clusters })).toThrow(
      /^Test\/Sliceflow\/Relay: the environment has \d+ bytes, and ECS takes 60000; .*Leave relayImage out/,
    )
  })

  it('are refused with an environment that somebody else has filled', () => {
    const environment = { PROXY_RULES: 'é'.repeat(1900), OTHER: 'x' }
    expect(() => synthesized({ functionProps: { audit: { environment } } })).toThrow(
      /^Test\/Sliceflow\/Audit: the environment has \d+ bytes, and Lambda takes 4096; the largest are PROXY_RULES \(3800\), SLICEFLOW_\w+ \(\d+\), SLICEFLOW_\w+ \(\d+\)\. Put long values/,
    )
    const fits = { PROXY_RULES: 'é'.repeat(1500) }
    expect(() => synthesized({ functionProps: { audit: { environment: fits } } })).not.toThrow()
  })
})

describe('any number of clusters in three accounts, by a tag', () => {
  const bundles = emptyBundles()
  const role = (account: string): string => `arn:aws:iam::${account}:role/sliceflow-clusters`
  const search = { kind: 'discover', region: 'eu-west-1', tagKey: 'sliceflow.dev/manage' } as const
  const clusters: readonly ClusterConfig[] = [
    search,
    ...ACCOUNTS.slice(1).map((account) => ({ ...search, roleArn: role(account), externalId: 'fleet' })),
  ]

  it('need three entries, and a part may search its own account and assume the two roles, nothing else', () => {
    const stack = new Stack(testApp(bundles), 'Test', { env: { region: 'eu-west-1', account: ACCOUNTS[0] } })
    new Sliceflow(stack, 'Sliceflow', { clusters, bundles })
    expect(readClusters(variablesOf(stack, 'Reconcile'))).toEqual(clusters)
    const template = Template.fromStack(stack)
    template.resourceCountIs('AWS::EKS::AccessEntry', 0)
    for (const part of ['ReconcileRole', 'AuditRole', 'RelayTaskRole']) {
      const statements = statementsOf(template, `${part}DefaultPolicy`)
      const assumed = statements.filter(({ Action }) => Action === 'sts:AssumeRole')
      expect(assumed.map(({ Resource }) => Resource)).toEqual([ACCOUNTS.slice(1).map(role)])
      const described = statements.filter(({ Action }) => Action === 'eks:DescribeCluster')
      expect(described).toMatchObject([
        { Condition: { Null: { 'aws:ResourceTag/sliceflow.dev/manage': 'false' } } },
      ])
      expect(JSON.stringify(described)).toContain(`:eks:eu-west-1:${ACCOUNTS[0]}:cluster/*`)
    }
  })
})
