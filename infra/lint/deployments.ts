import { fileURLToPath } from 'node:url'

const EKS = { name: 'eu-1', kind: 'eks', clusterName: 'prod', region: 'eu-west-1' }

const ACCOUNTS = ['111111111111', '222222222222', '333333333333'] as const
const roleIn = (account: string) => `arn:aws:iam::${account}:role/sliceflow-clusters`

/** Forty clusters in three accounts, of which the first is the deployment's own. */
const FORTY = Array.from({ length: 40 }, (_, index) => {
  const name = `cluster-${index}`
  const account = ACCOUNTS[index % 3] ?? ''
  const other = index % 3 > 0 && { roleArn: roleIn(account), externalId: 'orders' }
  return { ...EKS, name, clusterName: name, ...other }
})
const SEARCHES = ACCOUNTS.map((account, index) => ({
  kind: 'discover',
  region: 'eu-west-1',
  tagKey: 'sliceflow.dev/manage',
  ...(index > 0 && { roleArn: roleIn(account), externalId: 'orders' }),
}))
const OF_FLEET = { region: 'eu-west-1', account: ACCOUNTS[0] }

/** Contexts of deployments that use every construct at least once. */
export const DEPLOYMENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Default: { clusters: [EKS] },
  Large: {
    clusters: [
      EKS,
      { ...EKS, name: 'us-1', region: 'us-east-1', roleArn: 'arn:aws:iam::210987654321:role/sliceflow' },
      {
        name: 'edge',
        kind: 'secret',
        secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:edge-AbCdEf',
      },
      { kind: 'discover', region: 'eu-west-1', tagKey: 'sliceflow.dev/manage' },
    ],
    region: 'eu-west-1',
    natGateways: 1,
    keepState: true,
    relayShards: 3,
    relayMemory: 1024,
    batchWindow: 1,
    batchSize: 10_000,
    maximumConcurrency: 1000,
    viewsSpec: fileURLToPath(new URL('../../examples/views/endpoints.yaml', import.meta.url)),
    viewsEventBus: 'views',
    viewsCloudMapNamespace: 'ns-0123456789abcdef',
  },
  Egress: { clusters: [EKS], region: 'eu-west-1', account: '123456789012', fixedEgress: true, canary: true },
  Given: {
    clusters: [EKS],
    region: 'eu-west-1',
    vpcId: 'vpc-0123456789abcdef0',
    vpcCidr: '10.1.0.0/16',
    subnetIds: 'subnet-0aaaaaaaaaaaaaaaa,subnet-0bbbbbbbbbbbbbbbb',
    routeTableIds: 'rtb-0aaaaaaaaaaaaaaaa,rtb-0bbbbbbbbbbbbbbbb',
    functionsInVpc: true,
    clusterSecurityGroupIds: 'sg-0123456789abcdef0',
    vpcEndpoints: 'all',
    keepState: true,
    encryptionKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef',
    permissionsBoundary: 'boundary',
    tags: 'team=net',
    recording: 'on',
  },
  Forty: { clusters: FORTY, ...OF_FLEET },
  FortyByTag: { clusters: SEARCHES, ...OF_FLEET },
  FortyStandby: { clusters: FORTY, ...OF_FLEET, region: 'eu-central-1', standby: true },
}
