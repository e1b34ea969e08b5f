import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { mutated } from '../../shared/endpointslice/malformed.fixtures.ts'
import { LABEL_SOURCE_CLUSTER } from '../../shared/fleet/index.ts'
import { openFleet, sourceSlice } from '../../shared/fleet/reconcile-fleet.fixtures.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { createRawClient, type RawClient } from '../support/raw-client.ts'
import { type ApiServer, startApiServer } from './api-server.ts'

/** Slices of the exporting cluster, and how many of them one sync reads. */
const SLICES = 1_000
const AT_ONCE = 20
const GOOD = '10.1.0.1'
const SLICES_PATH = '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices?dryRun=All'

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

const LONG = 'a'.repeat(300)
/** Near to what the API has: names, addresses, ports, and texts. */
const NEAR: readonly unknown[] = [
  ...['db-0', 'DB', 'a_b', '-a', 'a.b', '1', LONG, 'a'.repeat(63), 'a'.repeat(64), '🙂', 'a\nb', 'eu 1', 'Ü'],
  ...[
    '10.2.0.2',
    '010.0.0.1',
    '10.0.0',
    '10.0.0.256',
    ' 10.0.0.1',
    '10.0.0.1/32',
    '10.0.0.1:80',
    '127.0.0.1',
  ],
  ...['169.254.169.254', '0.0.0.0', '224.0.0.1', '255.255.255.255', 'fd00::1', 'FD00::1', 'fe80::1%eth0'],
  ...['::1', '::', 'ff02::1', '::ffff:10.0.0.1', '64:ff9b::7f00:1', 'fd00:0::0001', 'example.com'],
  ...[80, 0, -1, 65_535, 65_536, 1e9, 1.5, '80', Number.MAX_SAFE_INTEGER],
  ...['UDP', 'tcp', 'QUIC', 'kubernetes.io/h2c', 'IPv6', 'FQDN', 'IPv5', 'true', undefined],
  [],
]

const endpoint = (address: string) => ({
  addresses: [address],
  conditions: { ready: true, serving: true, terminating: false },
  hostname: 'db-0',
  nodeName: 'node-1',
  zone: 'eu-1',
  hints: { forZones: [{ name: 'eu-1' }] },
  deprecatedTopology: { a: 'b' },
  targetRef: { kind: 'Pod', name: 'db-0', namespace: 'shop', uid: 'u' },
})
const RIGHT: EndpointSlice = {
  metadata: { namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [
    { name: 'http', port: 8080, protocol: 'TCP' },
    { name: 'grpc', port: 9090, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
  ],
  endpoints: [endpoint('10.2.0.1'), endpoint('10.2.0.3')],
}
/** Slices with odd values in three places, most of them near to what the API has. */
const oddSlices = mutated(RIGHT)
  .chain((slice) => mutated(slice, fc.constantFrom(...NEAR)))
  .chain((slice) => mutated(slice, fc.constantFrom(...NEAR)))

const importedIn = (slices: readonly EndpointSlice[]): EndpointSlice[] =>
  slices.filter(({ metadata }) => metadata?.labels?.[LABEL_SOURCE_CLUSTER] === 'eu')

it('an importing server refuses nothing of a thousand odd slices, and gets the good one', async () => {
  const odd = fc.sample(oddSlices, { seed: 1, numRuns: SLICES })
  const addresses = new Set<string>()
  const refused: unknown[] = []
  for (let made = 0; made < SLICES; made += AT_ONCE) {
    const { clusters, handle } = openFleet()
    clusters.eu.put(ENDPOINT_SLICES, sourceSlice(GOOD))
    for (const [at, slice] of odd.slice(made, made + AT_ONCE).entries()) {
      const metadata = { ...RIGHT.metadata, ...slice?.metadata, name: `odd-${at}`, namespace: 'shop' }
      clusters.eu.put(ENDPOINT_SLICES, { ...slice, metadata })
    }
    await handle()
    const imported = importedIn(clusters.us.all(ENDPOINT_SLICES))
    const found = imported.flatMap(({ endpoints }) => (endpoints ?? []).flatMap((each) => each.addresses))
    expect(found).toContain(GOOD)
    for (const address of found) addresses.add(address)
    for (const { metadata = {}, ...slice } of imported) {
      const { name, labels, annotations, ownerReferences } = metadata
      const body = { ...slice, metadata: { name, labels, annotations, ownerReferences } }
      const { status, text } = await client.post(SLICES_PATH, body)
      if (status !== 201) refused.push([text, slice])
    }
  }
  expect(refused).toEqual([])
  // Most of what is odd beside an address costs that endpoint nothing.
  expect([...addresses].sort()).toEqual(expect.arrayContaining(['10.2.0.1', '10.2.0.2', '10.2.0.3']))
})
