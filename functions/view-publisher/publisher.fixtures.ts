import { readFileSync } from 'node:fs'
import type { ServiceKey } from '../../shared/changes/index.ts'
import { loadSpec } from '../../shared/views/index.ts'
import type { BusEvent } from './event-bus/event-bus.ts'
import type { ViewEventDetail } from './event-bus/view-event.ts'

const example = (name: string): string =>
  readFileSync(new URL(`../../examples/views/${name}.yaml`, import.meta.url), 'utf8')

export const SPECS = {
  endpoints: loadSpec(example('endpoints')),
  'endpoint lists': loadSpec(example('endpoint-lists')),
} as const

export const KEY: ServiceKey = { cluster: 'a', namespace: 'shop', service: 'cart' }

/** Makes a Service with these ports that takes part in the views. */
export const service = (...ports: readonly number[]): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'cart',
    namespace: 'shop',
    annotations: { 'dcontroller.io/endpointslice-controller-enabled': '' },
  },
  spec: {
    type: 'ClusterIP',
    ports: ports.map((port) => ({ name: `p${port}`, protocol: 'TCP', port, targetPort: port + 8000 })),
  },
})

/** Makes a slice of that Service, with these addresses, all ready. */
export const slice = (name: string, ...addresses: readonly string[]): object => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, namespace: 'shop', labels: { 'kubernetes.io/service-name': 'cart' } },
  addressType: 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [],
})

/**
 * Returns what a consumer of the bus knows that follows the rule of the events' version.
 * @param events in the order in which they reached it
 */
export function consume(events: readonly BusEvent[]): unknown[] {
  const seen = new Map<string, { version: number; object: unknown }>()
  for (const { detail } of events) {
    const { type, object, version }: ViewEventDetail = JSON.parse(detail)
    const id = `${object.kind} ${object.metadata.namespace}/${object.metadata.name}`
    if ((seen.get(id)?.version ?? 0) >= version) continue
    seen.set(id, { version, object: type === 'Deleted' ? undefined : object })
  }
  return [...seen.values()].map(({ object }) => object).filter((object) => object !== undefined)
}
