import { readFileSync } from 'node:fs'

const example = (name: string): string =>
  readFileSync(new URL(`../../examples/views/${name}.yaml`, import.meta.url), 'utf8')

/** A view object for every port and address. */
export const ENDPOINTS = example('endpoints')
/** A view object for every port, with all its addresses. */
export const ENDPOINT_LISTS = example('endpoint-lists')

interface Port {
  readonly name: string
  readonly port: number
  readonly targetPort?: number
}
const A: Port = { name: 'a', port: 1 }
const B: Port = { name: 'b', port: 2 }
const HTTP: Port = { name: 'http', port: 80, targetPort: 8080 }

const serviceView = (type: string, number: number, { name, port, targetPort = port }: Port): string =>
  `${type} ServiceView testsvc-${number} ${JSON.stringify({
    spec: { serviceName: 'testsvc', type: 'ClusterIP', ports: { name, protocol: 'TCP', port, targetPort } },
  })}`

const endpointView = (type: string, hash: string, port: number, targetPort = port): string =>
  `${type} EndpointView testsvc-${hash} ${JSON.stringify({
    spec: {
      serviceName: 'testsvc',
      type: 'ClusterIP',
      protocol: 'TCP',
      port,
      targetPort,
      address: '10.0.0.1',
    },
  })}`

const endpointList = (type: string, addresses: readonly string[]): string =>
  `${type} EndpointView testsvc-TCP-80 ${JSON.stringify({
    spec: {
      serviceName: 'testsvc',
      type: 'ClusterIP',
      protocol: 'TCP',
      port: 80,
      targetPort: 8080,
      addresses,
    },
  })}`

const TWO_PORTS = [
  [serviceView('Added', 0, A), serviceView('Added', 1, B)],
  [endpointView('Added', '1svhkp', 2), endpointView('Added', 'agrlii', 1)],
]

/** Deltas that each event of a case should give where Δ-controller has a defect. */
export const WANTED: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  // An address in two slices stays until it is in none.
  [
    'W16',
    [
      [serviceView('Added', 0, HTTP)],
      [endpointView('Added', '5esucr', 80, 8080)],
      [],
      [],
      [endpointView('Deleted', '5esucr', 80, 8080)],
    ],
  ],
  // Two ports that change places are the same two ports.
  ['W17', [...TWO_PORTS, [serviceView('Updated', 0, B), serviceView('Updated', 1, A)]]],
  // Only the port that goes is deleted.
  [
    'W18',
    [
      ...TWO_PORTS,
      [endpointView('Deleted', 'agrlii', 1), serviceView('Deleted', 1, B), serviceView('Updated', 0, B)],
    ],
  ],
  // An object that was added twice is gone when it is deleted once.
  [
    'W21',
    [
      [serviceView('Added', 0, HTTP)],
      [endpointView('Added', '5esucr', 80, 8080)],
      [],
      [endpointView('Deleted', '5esucr', 80, 8080)],
      [serviceView('Deleted', 0, HTTP)],
      [serviceView('Added', 0, HTTP)],
    ],
  ],
  // Addresses are a set.
  [
    'G04',
    [
      [serviceView('Added', 0, HTTP).replace('testsvc-0', 'testsvc-TCP-80')],
      [endpointList('Added', ['10.0.0.1'])],
      [endpointList('Updated', ['10.0.0.1', '10.0.0.9'])],
      [],
    ],
  ],
  // What two objects give stays until neither gives it.
  ['P17', [['Added V fixed {"v":1}'], ['Updated V fixed {"v":2}'], [], ['Updated V fixed {"v":3}']]],
  // What leaves the selector is gone.
  ['S01', [[], ['Added V a {"v":2}'], ['Deleted V a {"v":2}'], []]],
])
