import { fileURLToPath } from 'node:url'

const EKS = { name: 'eu-1', kind: 'eks', clusterName: 'prod', region: 'eu-west-1' }

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
}
