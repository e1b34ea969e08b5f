import { type EndpointSlice, LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, runWatcher } from '../../shared/kubernetes/index.ts'

/** An address of a Service that no slice of the subject publishes as ready any longer. */
export interface Loss {
  readonly service: string
  readonly address: string
  /** Time at which the watch saw it, in milliseconds since the epoch. */
  readonly time: number
}

export interface FollowedLosses {
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
  let slices = new Map<string, EndpointSlice>()

  function become(next: Map<string, EndpointSlice>): void {
    const after = readyIn(next.values(), managedBy)
    for (const [key, of] of readyIn(slices.values(), managedBy))
      if (!after.has(key)) losses.push({ ...of, time: Date.now() })
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
        become(new Map(slices).set(slice.metadata.uid ?? '', slice))
    },
    deleted({ metadata }: EndpointSlice) {
      const next = new Map(slices)
      if (next.delete(metadata?.uid ?? '')) become(next)
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
