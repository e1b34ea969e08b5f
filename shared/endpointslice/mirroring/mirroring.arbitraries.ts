import fc from 'fast-check'
import type { Endpoints } from '../types.ts'

const ADDRESSES = ['10.0.0.1', '10.0.0.2', '10.0.0.3', 'fd00::1', 'fd00::2'] as const

const address = fc.record(
  {
    ip: fc.constantFrom(...ADDRESSES),
    hostname: fc.constantFrom('db-0', 'db-1'),
    nodeName: fc.constantFrom('node-a', 'node-b'),
    targetRef: fc.record({
      kind: fc.constant('Pod'),
      namespace: fc.constant('shop'),
      name: fc.constantFrom('web-1', 'web-2'),
      uid: fc.constantFrom('uid-1', 'uid-2'),
    }),
  },
  { requiredKeys: ['ip'] },
)

const ports = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('http', 'dns', 'admin'),
    port: fc.constantFrom(80, 53, 8080),
    protocol: fc.constantFrom('TCP', 'UDP'),
  }),
  { selector: ({ name }) => name, minLength: 0, maxLength: 3 },
)

const subset = fc
  .record({
    addresses: fc.array(address, { maxLength: 4 }),
    notReadyAddresses: fc.array(address, { maxLength: 2 }),
    ports,
  })
  .filter(({ addresses, notReadyAddresses }) => addresses.length + notReadyAddresses.length > 0)

const map = (...keys: string[]) =>
  fc.dictionary(fc.constantFrom(...keys), fc.constantFrom('a', 'b'), { maxKeys: 2 })

/** Makes what an API server accepts, and people write: subsets that share addresses and ports among them. */
export const handWritten: fc.Arbitrary<Pick<Endpoints, 'subsets'> & { metadata: Endpoints['metadata'] }> =
  fc.record({
    metadata: fc.record({
      labels: map('app', 'team'),
      annotations: map('example.com/note', 'endpoints.kubernetes.io/over-capacity'),
    }),
    subsets: fc.array(subset, { maxLength: 4 }),
  })
