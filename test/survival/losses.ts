import { isSealed } from '../../shared/changes/index.ts'
import {
  type EndpointSlice,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  lastWriteOf,
} from '../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, FIELD_MANAGER, runWatcher } from '../../shared/kubernetes/index.ts'

/** An address of a Service that no slice of the subject publishes as ready any longer. */
export interface Loss {
  readonly service: string
  readonly address: string
  /** Time at which the watch saw it, in milliseconds since the epoch. */
  readonly time: number
}

export interface FollowedLosses {
  /**
   * Without those that others made and healed, such as a controller that writes the same slices and was
   * quicker each time: the subject may have read nothing in between, and so recorded nothing.
   */
  readonly losses: readonly Loss[]
  /** Lists the slices, and names those that the watch has not yet delivered as they are. */
  behind(): Promise<string[]>
}

/**
 * Notes from now on, until the signal ends it, which ready addresses of a namespace's Services are lost from
 * a manager's slices.
 */
export function followLosses(
  client: ApiClient,
  { namespace, managedBy }: { readonly namespace: string; readonly managedBy: string },
  signal: AbortSignal,
): FollowedLosses {
  const losses: Loss[] = []
  /** Losses that others made and nobody has healed yet. */
  const ofOthers = new Map<string, Loss>()
  let slices = new Map<string, EndpointSlice>()

  function become(next: Map<string, EndpointSlice>, written?: EndpointSlice): void {
    const isByOthers = written !== undefined && !isOurs(written)
    const after = readyIn(next.values(), managedBy)
    for (const [key, of] of readyIn(slices.values(), managedBy)) {
      if (after.has(key)) continue
      const loss = { ...of, time: Date.now() }
      losses.push(loss)
      if (isByOthers) ofOthers.set(key, loss)
    }
    for (const [key, loss] of [...ofOthers].filter(([key]) => after.has(key))) {
      ofOthers.delete(key)
      if (isByOthers) losses.splice(losses.indexOf(loss), 1)
    }
    slices = next
  }

  let listed = new Map<string, EndpointSlice>()
  const handler = {
    listing() {
      listed = new Map()
    },
    object: (slice: EndpointSlice) => void listed.set(slice.metadata?.uid ?? '', slice),
    listed: () => become(new Map([...listed].filter(([, slice]) => slice.metadata?.namespace === namespace))),
    changed(slice: EndpointSlice) {
      if (slice.metadata?.namespace === namespace)
        become(new Map(slices).set(slice.metadata.uid ?? '', slice), slice)
    },
    deleted(slice: EndpointSlice) {
      const next = new Map(slices)
      if (next.delete(slice.metadata?.uid ?? '')) become(next, slice)
    },
  }
  void runWatcher(client, { resource: ENDPOINT_SLICES, handler, signal })
  return {
    losses,
    async behind() {
      const { items } = await client.list<EndpointSlice>(ENDPOINT_SLICES, { namespace })
      const versions = new Set(items.map(versionOf))
      const seen = new Set([...slices.values()].map(versionOf))
      return [...versions.symmetricDifference(seen)]
    },
  }
}

/**
 * The seal stays right if others write what we had written before; the tests write by our name, without one.
 */
const isOurs = (slice: EndpointSlice): boolean =>
  isSealed(slice) && lastWriteOf(slice)?.manager === FIELD_MANAGER

const versionOf = ({ metadata }: EndpointSlice): string => `${metadata?.name} ${metadata?.resourceVersion}`

function readyIn(slices: Iterable<EndpointSlice>, managedBy: string): Map<string, Omit<Loss, 'time'>> {
  const ready = new Map<string, Omit<Loss, 'time'>>()
  for (const { metadata, endpoints } of slices) {
    const { [LABEL_SERVICE_NAME]: service = '', [LABEL_MANAGED_BY]: manager } = metadata?.labels ?? {}
    if (manager !== managedBy) continue
    for (const { addresses, conditions } of endpoints ?? [])
      for (const address of conditions?.ready === false ? [] : addresses)
        ready.set(`${service} ${address}`, { service, address })
  }
  return ready
}
