import { isPodCounted, isPodReady, type Pod, type Service } from '../../endpointslice/index.ts'
import { type AddressSum, createEndpointsSizes, type EndpointsSizes } from '../sizes/index.ts'
import type { Encoding } from '../sizes/object-size.ts'
import type { PodsByName, Publisher, Write } from './publisher.ts'

type Readiness = 'ready' | 'notReady'

interface PublishedAddress {
  readonly readiness: Readiness
  readonly bytes: { readonly protobuf: number; readonly json: number }
}

const NONE: AddressSum = { count: 0, protobuf: 0, json: 0 }

/**
 * Creates a publisher of one v1 Endpoints object for all endpoints, as before EndpointSlices. Its controller
 * removes Pods as soon as they terminate. Since Kubernetes 1.22 it also truncates at 1,000 endpoints, which
 * the KEP's tables do not include, nor does this.
 */
export function createEndpointsPublisher(service: Service, encoding: Encoding): Publisher {
  const { name, namespace } = service.metadata ?? {}
  const sizes = createEndpointsSizes(encoding, { name, namespace })
  const published = new Map<string, PublishedAddress>()
  const sums: Record<Readiness, AddressSum> = { ready: NONE, notReady: NONE }
  let version = 0

  function put(podName: string, pod: Pod | undefined): boolean {
    const before = published.get(podName)
    const after = pod === undefined ? undefined : addressOf(pod, sizes)
    if (before?.readiness === after?.readiness) return false
    if (before !== undefined) count(before, -1)
    if (after !== undefined) count(after, 1)
    if (after === undefined) published.delete(podName)
    else published.set(podName, after)
    return true
  }

  function count({ readiness, bytes }: PublishedAddress, times: 1 | -1): void {
    const sum = sums[readiness]
    sums[readiness] = {
      count: sum.count + times,
      protobuf: sum.protobuf + times * bytes.protobuf,
      json: sum.json + times * bytes.json,
    }
  }

  function write(operation: Write['operation']): Write {
    version++
    const type = ({ create: 'ADDED', update: 'MODIFIED', delete: 'DELETED' } as const)[operation]
    return { operation, ...sizes.of(type, version, sums.ready, sums.notReady) }
  }

  return {
    publish(pods, changed) {
      let isChanged = false
      for (const podName of changed ?? namesOf(pods, published)) {
        if (put(podName, pods.get(podName))) isChanged = true
      }
      if (version === 0) return [write('create')]
      return isChanged ? [write('update')] : []
    },
    // Ports do not matter here.
    serve: () => undefined,
    withdraw() {
      if (version === 0) return []
      published.clear()
      sums.ready = NONE
      sums.notReady = NONE
      const last = write('delete')
      version = 0
      return [last]
    },
    get endpoints() {
      return published.size
    },
    objects: 1,
    leastObjects: 1,
    slices: () => [],
  }
}

const namesOf = (pods: PodsByName, published: ReadonlyMap<string, unknown>): Set<string> =>
  new Set([...pods.keys(), ...published.keys()])

function addressOf(pod: Pod, sizes: EndpointsSizes): PublishedAddress | undefined {
  const { name = '', namespace = '', uid = '', deletionTimestamp } = pod.metadata ?? {}
  if (!isPodCounted(pod) || deletionTimestamp !== undefined) return undefined
  const targetRef = { kind: 'Pod', namespace, name, uid } as const
  const bytes = sizes.ofAddress({
    ip: pod.status?.podIPs?.[0]?.ip ?? '',
    nodeName: pod.spec?.nodeName,
    targetRef,
  })
  return { readiness: isPodReady(pod) ? 'ready' : 'notReady', bytes }
}
