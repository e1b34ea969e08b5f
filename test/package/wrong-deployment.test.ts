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
    'a context that is no number',
    context({ natGateways: '9' }),
    'context natGateways: "9" is not a number from 0 to 3',
  ],
  ['a context without text', context({ region: '' }), 'context region: must be text'],
  ['clusters that are no JSON', context({ clusters: 'eu-1' }), 'clusters: the text is not JSON'],
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
    'functions in no VPC',
    props({ functionsInVpc: true }),
    'functionsInVpc: needs a vpc with a route to the clusters and to AWS’ services; give one',
  ],
  [
    'a deployed variable below its range',
    variables({ SLICEFLOW_MAX_RECEIVE_COUNT: '2' }),
    'SLICEFLOW_MAX_RECEIVE_COUNT: "2" is not a whole number of tries from 5 to 1000; the nearest is 5',
  ],
])('tells of %s what is wrong, where, and what to do', (_, attempt, text) => {
  expect(attempt).toThrow(expect.objectContaining({ message: text }))
})
