import { compareVersions } from '../tracking/slice-tracker.ts'
import type { Endpoint, EndpointPort, EndpointSlice } from '../types.ts'

/** One address and port that traffic may go to. */
export interface Backend {
  /** `IPv4`, `IPv6` or `FQDN`. */
  readonly addressType: string
  readonly address: string
  /** The port of the slice, resolved; absent where the slice has none (a headless Service without ports). */
  readonly port: EndpointPort | undefined
  /** Endpoint as the slice has it; see conditionsOf(). */
  readonly endpoint: Endpoint
  readonly slice: EndpointSlice
}

/**
 * Returns the backends of a Service: every address with every port of its own slice, each once.
 *
 * An endpoint may stand in two slices while it is moved between them (KEP-752), or because two controllers
 * publish it. The conflict rule: what the slice written last says (the greatest resourceVersion) is taken, as
 * its writer saw the newest state; of slices that cannot be distinguished so, the one whose name comes first.
 * @param slices of one Service of one cluster, in any order; the result is ordered by address and port
 * @example
 * ```ts
 * const endpoints = [{ addresses: ['10.0.0.5'] }]
 * const backends = backendsOf([{ addressType: 'IPv4', ports: [{ port: 80 }], endpoints }])
 * backends.map(({ address, port }) => `${address}:${port?.port}`) // => ['10.0.0.5:80']
 * ```
 */
export function backendsOf(slices: readonly EndpointSlice[]): Backend[] {
  const backends = new Map<string, Backend>()
  for (const slice of slices.toSorted(byPrecedence)) {
    for (const backend of backendsIn(slice)) {
      const identity = identityOf(backend)
      if (!backends.has(identity)) backends.set(identity, backend)
    }
  }
  return [...backends].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, backend]) => backend)
}

function* backendsIn(slice: EndpointSlice): Generator<Backend> {
  const { addressType } = slice
  const ports: readonly (EndpointPort | undefined)[] = slice.ports?.length ? slice.ports : [undefined]
  for (const endpoint of slice.endpoints ?? []) {
    for (const address of endpoint.addresses ?? []) {
      for (const port of ports) yield { addressType, address, port, endpoint, slice }
    }
  }
}

const identityOf = ({ addressType, address, port }: Backend): string =>
  JSON.stringify([addressType, address, port?.name ?? '', port?.protocol ?? 'TCP', port?.port ?? null])

function byPrecedence(a: EndpointSlice, b: EndpointSlice): number {
  const [of, than] = [a.metadata?.resourceVersion ?? '', b.metadata?.resourceVersion ?? '']
  if (compareVersions(of, than) > 0) return -1
  if (compareVersions(than, of) > 0) return 1
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1
}

/** An endpoint's conditions as consumers must take them. */
export interface KnownConditions {
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
}

/**
 * Fills in conditions that are not set, by the words of discovery.k8s.io/v1: unknown `ready` means ready,
 * unknown `serving` the same as `ready`, unknown `terminating` means not terminating.
 * @example
 * ```ts
 * conditionsOf({ addresses: ['10.0.0.5'] }) // => { ready: true, serving: true, terminating: false }
 * ```
 */
export function conditionsOf({ conditions }: Endpoint): KnownConditions {
  const ready = conditions?.ready ?? true
  return { ready, serving: conditions?.serving ?? ready, terminating: conditions?.terminating ?? false }
}
