import { type OtherOwner, type OwnerObject, otherOwner, type ServiceKey } from '../../changes/index.ts'
import { type EndpointSlice, ownerOfKind, projectedUid, type Service } from '../../endpointslice/index.ts'
import {
  type ApiClient,
  apiVersionOf,
  ENDPOINT_SELECTORS,
  firstServed,
  type GetOptions,
  KubernetesError,
  type ListOptions,
  NATIVE_ENDPOINT_SELECTORS,
  type ObjectRef,
  SERVED_FOR_MS,
  SERVICES,
} from '../../kubernetes/index.ts'
import { isRecent } from '../../values/index.ts'
import { readObject } from './read-object.ts'

interface OwnerReadOptions extends GetOptions {
  /** Slices of the key: an owner of theirs is never taken for gone only as its API is not served. */
  readonly slices?: readonly EndpointSlice[]
  /** The only API to read, such as `group/version`, where no more than Pods have changed. Default: any. */
  readonly api?: string | undefined
}

/** What is known of EndpointSelectors of a cluster. */
interface SelectorKnowledge {
  /** Whether the API server serves them natively, and when it said so. */
  native?: { readonly isServed: boolean; readonly at: number }
  /** When an EndpointSelector of the API server was last found without another controller. */
  unclaimedAt?: number
}

/** How long it is remembered that no other controller publishes EndpointSelectors of an API server. */
const UNCLAIMED_FOR_MS = 600_000

/**
 * Reads the owners of slices that keys name, an EndpointSelector in the form of a Service. Of two of one name
 * that of the API server counts, and ours does not.
 */
export class OwnerReader {
  readonly #clusters = new WeakMap<ApiClient, SelectorKnowledge>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /**
   * @returns undefined if there is none. An API server that does not serve a kind does not say so of any
   *   object: then this throws, and the slices stay
   * @throws KubernetesError when the read failed
   */
  async read(
    client: ApiClient,
    { namespace, service: name, ownerKind }: ServiceKey,
    { slices = [], api, ...options }: OwnerReadOptions,
  ): Promise<Service | undefined> {
    const ref = { namespace, name }
    const owner = otherOwner(ownerKind)
    if (owner === undefined) return readObject(client, SERVICES, ref, options)
    const resources = Object.values(owner.resources)
    const of = resources.length === 1 ? resources[0] : resources.find((each) => apiVersionOf(each) === api)
    const object =
      of === undefined
        ? await this.#readSelector(client, ref, { ...options, apis: apisOf(slices) })
        : await readObject(client, of, ref, options)
    return object && owner.asService(object)
  }

  /** Reports whether no other controller published EndpointSelectors lately; discovery does not show it. */
  areUnclaimed(client: ApiClient): boolean {
    const { unclaimedAt } = this.#knowledge(client)
    return unclaimedAt !== undefined && isRecent(unclaimedAt, UNCLAIMED_FOR_MS, this.#now())
  }

  /** Notes that no other controller has published an EndpointSelector in the time that one needs. */
  noteUnclaimed(client: ApiClient): void {
    this.#knowledge(client).unclaimedAt = this.#now()
  }

  async #readSelector(
    client: ApiClient,
    ref: ObjectRef,
    { apis, ...options }: GetOptions & { readonly apis: ReadonlySet<string> },
  ): Promise<OwnerObject | undefined> {
    const { signal } = options
    const read = (): Promise<OwnerObject | undefined> =>
      readObject(client, NATIVE_ENDPOINT_SELECTORS, ref, options)
    const wasServed = await this.#isServed(client, signal)
    const native = wasServed ? await read() : undefined
    // One that Kubernetes projects from a Service is no reason to leave ours of its name alone.
    if (native !== undefined && projectedUid(native) === undefined) return native
    // One of several API servers may be older than the others.
    if (!wasServed && apis.has(apiVersionOf(NATIVE_ENDPOINT_SELECTORS))) {
      this.#forget(client)
      throw new NotServedError(client.cluster, ref)
    }
    const own = await this.#readOwn(client, ref, { ...options, apis })
    if (own !== undefined || wasServed) return own ?? native
    // What is not there any more may have moved to an API that was not served a moment ago.
    this.#forget(client)
    return (await this.#isServed(client, signal)) ? read() : undefined
  }

  /** Reads the one of our own definition, without which a cluster may do that serves them natively. */
  async #readOwn(
    client: ApiClient,
    ref: ObjectRef,
    { apis, ...options }: GetOptions & { readonly apis: ReadonlySet<string> },
  ): Promise<OwnerObject | undefined> {
    try {
      return await readObject(client, ENDPOINT_SELECTORS, ref, options)
    } catch (error) {
      const isNeeded = apis.has(apiVersionOf(ENDPOINT_SELECTORS)) || !this.#knowledge(client).native?.isServed
      if (isNeeded || (await firstServed(client, [ENDPOINT_SELECTORS], options)) !== undefined) throw error
      return undefined
    }
  }

  async #isServed(client: ApiClient, signal: AbortSignal | undefined): Promise<boolean> {
    const knowledge = this.#knowledge(client)
    const { native } = knowledge
    if (native !== undefined && isRecent(native.at, SERVED_FOR_MS, this.#now())) return native.isServed
    const at = this.#now()
    const isServed = (await firstServed(client, [NATIVE_ENDPOINT_SELECTORS], { signal })) !== undefined
    knowledge.native = { isServed, at }
    return isServed
  }

  #forget(client: ApiClient): void {
    delete this.#knowledge(client).native
  }

  #knowledge(client: ApiClient): SelectorKnowledge {
    const known = this.#clusters.get(client) ?? {}
    this.#clusters.set(client, known)
    return known
  }
}

/**
 * Lists the owners of a kind of a cluster page by page, of each API that it serves. Of two EndpointSelectors
 * of one name that of the API server counts, but for those that Kubernetes projects from Services.
 * @throws KubernetesError
 */
export async function* listOwners(
  client: ApiClient,
  { resources }: OtherOwner,
  options: ListOptions,
): AsyncGenerator<readonly OwnerObject[]> {
  const { signal } = options
  const known = new Set<string>()
  for (const resource of Object.values(resources)) {
    const served = await firstServed(client, [resource], signal && { signal })
    if (served === undefined) continue
    const isNative = served === NATIVE_ENDPOINT_SELECTORS
    const counts = (item: OwnerObject): boolean =>
      !known.has(nameOf(item)) && !(isNative && projectedUid(item) !== undefined)
    // A list of an API server's own kinds does not say what they are.
    const apiVersion = apiVersionOf(served)
    for await (const { items } of client.pages(served, options)) {
      const counted = items.filter(counts)
      yield counted.map((item) => ({ ...item, apiVersion }))
      for (const item of counted) known.add(nameOf(item))
    }
  }
}

const nameOf = ({ metadata }: OwnerObject): string => `${metadata?.namespace}/${metadata?.name}`

/** Lists the APIs of the owners of slices that are no Services. */
export const apisOf = (slices: readonly EndpointSlice[]): ReadonlySet<string> =>
  new Set(
    slices
      .flatMap(({ metadata }) => metadata?.ownerReferences ?? [])
      .filter(({ kind }) => otherOwner(kind) !== undefined)
      .map(({ apiVersion }) => apiVersion),
  )

/** The API server does not serve the kind that owns slices, and so does not say whether the owner exists. */
class NotServedError extends KubernetesError {
  override readonly name = 'NotServedError'

  constructor(cluster: string, { namespace, name }: ObjectRef) {
    const api = apiVersionOf(NATIVE_ENDPOINT_SELECTORS)
    super(
      `failed to read EndpointSelector ${namespace}/${name} of cluster ${cluster}: it owns slices, and the API server does not serve ${api}; if that is meant, delete these slices`,
    )
  }
}

/** Reports whether an object read as a Service is an EndpointSelector of the API server that has slices. */
export const isNativeSelector = ({ kind, apiVersion, metadata }: Service): boolean =>
  kind === 'EndpointSelector' &&
  apiVersion === apiVersionOf(NATIVE_ENDPOINT_SELECTORS) &&
  projectedUid({ metadata }) === undefined

/** Returns the slices that other controllers have written for an EndpointSelector of the API server. */
export const foreignSlicesOf = (
  service: Service,
  slices: readonly EndpointSlice[],
  isOurs: (slice: EndpointSlice) => boolean,
): readonly EndpointSlice[] =>
  isNativeSelector(service)
    ? slices.filter((slice) => !isOurs(slice) && ownerOfKind(service.kind).owns(slice, service))
    : []
