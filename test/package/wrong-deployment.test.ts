import { expect, it } from 'vitest'
import { readSettings } from '../../functions/environment/index.ts'
import { emptyBundles, stackOf } from '../../infra/constructs/template.fixtures.ts'
import { readContext } from '../../infra/context.ts'

const bundles = emptyBundles()
const CLUSTERS = '[{"name":"eu-1","kind":"eks","clusterName":"prod","region":"eu-west-1"}]'
const context = (values: Readonly<Record<string, unknown>>) => () =>
  readContext({ clusters: CLUSTERS, ...values })
const props = (values: object) => () => stackOf({ bundles, ...values })
const variables = (values: Readonly<Record<string, string>>) => () =>
  readSettings(values, { warn: () => undefined })

it.each<[string, () => unknown, string]>([
  [
    'a context that is not known',
    context({ maximumConcurency: '20' }),
    'context maximumConcurency: is not known (maximumConcurency: did you mean maximumConcurrency?); infra/README.md lists every key',
  ],
  [
    'a context that is no truth',
    context({ keepState: 'maybe' }),
    'context keepState: "maybe" is neither true nor false',
  ],
  [
    'a context that is no number',
    context({ natGateways: '9' }),
    'context natGateways: "9" is not a number from 0 to 3',
  ],
  ['a context without text', context({ region: '' }), 'context region: must be text'],
  ['clusters that are no JSON', context({ clusters: 'eu-1' }), 'clusters: the text is not JSON'],
  [
    'views without a spec',
    context({ viewsEventBus: 'bus' }),
    'context viewsSpec: must be given with the other keys of views: the path of the spec’s file',
  ],
  [
    'a prop above its range',
    props({ settings: { batchWindow: 301 } }),
    'batchWindow: 301 is not a whole number of seconds from 0 to 300; the nearest is 300',
  ],
  [
    'a prop that is no word of its list',
    props({ settings: { packing: 'compcat' } }),
    'packing: "compcat" is not one of upstream, compact; did you mean compact?',
  ],
  [
    'a prop that is no setting',
    props({ settings: { batchWindows: 3 } }),
    'batchWindows: is not a setting; did you mean batchWindow?',
  ],
  [
    'a prop of the relay’s own',
    props({ settings: { shard: '0/1' } }),
    'shard: is set for each relay; use relayShards and keepState',
  ],
  [
    'the id of a VPC that is none',
    context({ vpcId: 'vpc-1' }),
    'context vpcId: "vpc-1" is not the id of a VPC, such as vpc-0123456789abcdef0',
  ],
  [
    'a VPC without subnets',
    context({ vpcId: 'vpc-0123456789abcdef0' }),
    'context vpcId: Sliceflow looks nothing up in AWS; give subnetIds as well, one for each zone, separated by commas',
  ],
  [
    'the alias of a key',
    context({ encryptionKeyArn: 'alias/mine' }),
    'context encryptionKeyArn: "alias/mine" is not the ARN of a KMS key (not of an alias), such as arn:aws:kms:REGION:ACCOUNT:key/ID',
  ],
  [
    'provisioned pollers without a minimum',
    props({ settings: { maximumPollers: 20 } }),
    'minimumPollers: 0 with maximumPollers 20: provisioned pollers need a minimum of 2 or more, and a maximum that is not below it; give both, or neither',
  ],
  [
    'functions in no VPC',
    props({ functionsInVpc: true }),
    'functionsInVpc: needs a vpc with a route to the clusters and to AWS’ services; give one',
  ],
  ['no clusters', props({ clusters: [] }), 'clusters: the list is empty; name at least one cluster'],
  [
    'a deployed variable below its range',
    variables({ SLICEFLOW_MAX_RECEIVE_COUNT: '2' }),
    'SLICEFLOW_MAX_RECEIVE_COUNT: "2" is not a whole number of tries from 5 to 1000; the nearest is 5',
  ],
  [
    'a deployed variable of no mode',
    variables({ SLICEFLOW_MODE: 'replaced' }),
    'SLICEFLOW_MODE: "replaced" is not one of custom, replace; did you mean replace?',
  ],
])('tells of %s what is wrong, where, and what to do', (_, attempt, text) => {
  expect(attempt).toThrow(expect.objectContaining({ message: text }))
})
