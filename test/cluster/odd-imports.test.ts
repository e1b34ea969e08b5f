import { afterAll, beforeAll, expect, it } from 'vitest'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { LABEL_SOURCE_CLUSTER } from '../../shared/fleet/index.ts'
import { openFleet, sourceSlice } from '../../shared/fleet/reconcile-fleet.fixtures.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { createRandom, type Random } from '../support/random.ts'
import { createRawClient, type RawClient } from '../support/raw-client.ts'
import { type ApiServer, startApiServer } from './api-server.ts'

/** Slices of the exporting cluster, and how many of them one sync reads. */
const SLICES = 1_000
const AT_ONCE = 20
const GOOD = '10.1.0.1'

let server: ApiServer
let client: RawClient

beforeAll(async () => {
  server = await startApiServer({ name: 'importing' })
  client = createRawClient(server.kubeconfig.text)
  await client.post('/api/v1/namespaces', { metadata: { name: 'shop' } })
})
afterAll(async () => {
  client?.close()
  await server?.stop()
})

const NOTHING: readonly unknown[] = [
  undefined,
  null,
  '',
  0,
  -1,
  1.5,
  true,
  'x',
  [],
  {},
  [null],
  { a: { b: [] } },
]
const LONG = 'a'.repeat(300)
const NAMES: readonly unknown[] = [
  'db-0',
  'DB',
  'a_b',
  '-a',
  'a.b',
  '1',
  LONG,
  'a'.repeat(63),
  'a'.repeat(64),
  '🙂',
  'a\nb',
]
const ADDRESSES: readonly unknown[] = [
  ...[
    '10.2.0.1',
    '10.2.0.2',
    '010.0.0.1',
    '10.0.0',
    '10.0.0.256',
    '1',
    ' 10.0.0.1',
    '10.0.0.1/32',
    '10.0.0.1:80',
  ],
  ...[
    '127.0.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    'fd00::1',
    'FD00::1',
    'fe80::1',
  ],
  ...[
    'fe80::1%eth0',
    '::1',
    '::',
    'ff02::1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    'fd00:0::0001',
    'example.com',
    LONG,
  ],
]
const PORTS: readonly unknown[] = [80, 8080, 0, -1, 65_535, 65_536, 1e9, 1.5, '80', Number.MAX_SAFE_INTEGER]
const TEXTS: readonly unknown[] = [
  'eu-1',
  'eu 1',
  'eu/1',
  LONG,
  'Ü',
  'a'.repeat(63),
  'a'.repeat(64),
  'http',
  'kubernetes.io/h2c',
]

/** Makes slices in which any field may have any value, most of them near to what the API has. */
function createOddSlices(random: Random): () => EndpointSlice {
  const of = (near: readonly unknown[]): unknown => random.pick(random.below(8) === 0 ? NOTHING : near)
  const some = <T>(make: () => T, most = 3): unknown =>
    random.below(12) === 0 ? of(NOTHING) : Array.from({ length: random.below(most + 1) }, make)
  const maybe = (name: string, make: () => unknown): object =>
    random.below(3) === 0 ? { [name]: make() } : {}
  const conditions = (): object => ({
    ...maybe('ready', () => of([true, false])),
    ...maybe('serving', () => of([true, false, 'true'])),
    ...maybe('terminating', () => of([true, false, 1])),
  })
  const endpoint = (): unknown =>
    random.below(15) === 0
      ? of(NOTHING)
      : {
          addresses: some(() => of(ADDRESSES), 2),
          ...maybe('conditions', () => (random.below(6) === 0 ? of(NOTHING) : conditions())),
          ...maybe('hostname', () => of(NAMES)),
          ...maybe('nodeName', () => of(NAMES)),
          ...maybe('zone', () => of(TEXTS)),
          ...maybe('hints', () =>
            of([{ forZones: [{ name: 'eu-1' }] }, { forZones: some(() => of(TEXTS)) }]),
          ),
          ...maybe('deprecatedTopology', () => of([{ a: 'b' }, { [LONG]: LONG }])),
          ...maybe('targetRef', () =>
            of([{ kind: 'Pod', name: of(NAMES), namespace: of(NAMES), uid: of(TEXTS) }]),
          ),
        }
  const port = (): unknown =>
    random.below(15) === 0
      ? of(NOTHING)
      : {
          ...maybe('name', () => of(['http', ...NAMES])),
          ...(random.below(2) === 0 ? { name: 'http' } : {}),
          port: of(PORTS),
          ...maybe('protocol', () => of(['TCP', 'UDP', 'SCTP', 'tcp', 'QUIC'])),
          ...maybe('appProtocol', () => of(TEXTS)),
        }
  let number = 0
  return () =>
    ({
      metadata: {
        name: `odd-${++number}`,
        namespace: 'shop',
        labels: { 'kubernetes.io/service-name': 'web', ...maybe('x', () => of(TEXTS)) },
      },
      addressType: random.below(8) === 0 ? of(['FQDN', 'IPv5']) : random.pick(['IPv4', 'IPv4', 'IPv6']),
      // A port that is right, before and beside odd ones.
      ports: random.chance(0.6)
        ? [{ name: 'http', port: 8080 }, ...Array.from({ length: random.below(3) }, port)]
        : some(port),
      endpoints: some(endpoint, 4),
    }) as unknown as EndpointSlice
}

const importedIn = (slices: readonly EndpointSlice[]): EndpointSlice[] =>
  slices.filter(({ metadata }) => metadata?.labels?.[LABEL_SOURCE_CLUSTER] === 'eu')

it.each([1, 2])(
  'an importing server refuses nothing of a thousand odd slices, and gets the good one: seed %i',
  async (seed) => {
    const next = createOddSlices(createRandom(seed))
    const addresses = new Set<string>()
    const refused: unknown[] = []
    for (let made = 0; made < SLICES; made += AT_ONCE) {
      const { clusters, handle } = openFleet()
      clusters.eu.put(ENDPOINT_SLICES, sourceSlice(GOOD))
      for (let count = 0; count < AT_ONCE; count++) clusters.eu.put(ENDPOINT_SLICES, next())
      await handle()
      const imported = importedIn(clusters.us.all(ENDPOINT_SLICES))
      const found = imported.flatMap(({ endpoints }) => (endpoints ?? []).flatMap((each) => each.addresses))
      expect(found).toContain(GOOD)
      for (const address of found) addresses.add(address)
      for (const { metadata = {}, ...slice } of imported) {
        const { name, labels, annotations, ownerReferences } = metadata
        const body = { ...slice, metadata: { name, labels, annotations, ownerReferences } }
        const path = '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices?dryRun=All'
        const { status, text } = await client.post(path, body)
        if (status !== 201) refused.push([text, slice])
      }
    }
    expect(refused).toEqual([])
    // Most of what is odd beside an address costs that endpoint nothing.
    expect([...addresses].sort()).toEqual(expect.arrayContaining(['10.2.0.1', '10.2.0.2', 'fd00::1']))
  },
)
