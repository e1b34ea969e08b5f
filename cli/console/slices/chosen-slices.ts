import {
  type KeyText,
  keyText,
  otherOwnerNamed,
  ownerNameRule,
  type ServiceKey,
} from '../../../shared/changes/index.ts'
import {
  type Endpoint,
  type EndpointSlice,
  LABEL_MANAGED_BY,
  ownerOfKind,
} from '../../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type ClusterConnection,
  createApiClient,
  ENDPOINT_SLICES,
  labelName,
  runWatcher,
  type WatchHandler,
} from '../../../shared/kubernetes/index.ts'
import { printable, redactSecrets } from '../../../shared/telemetry/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'

/**
 * Reads which Service a page has chosen: `cluster`, and `service` as NAMESPACE/NAME, or as
 * NAMESPACE/NAME/EndpointSelector.
 * @returns why it is invalid, as a text for the user; `undefined` where nothing is chosen
 */
export function parseChoice(
  query: URLSearchParams,
  clusters: readonly string[],
): ServiceKey | string | undefined {
  const text = query.get('service')
  if (text === null) return undefined
  const [namespace = '', service = '', kind, ...rest] = text.split('/')
  const ownerKind = kind === undefined ? kind : otherOwnerNamed(kind)?.owner.kind
  const isKind = kind === undefined || ownerKind !== undefined
  const isNamed = labelName(namespace).length + ownerNameRule(ownerKind)(service).length === 0
  if (rest.length > 0 || !isNamed || !isKind)
    return 'That is not the name of a Service: give NAMESPACE/NAME, such as shop/web, or shop/web/EndpointSelector.'
  const cluster = query.get('cluster') ?? ''
  if (!clusters.includes(cluster)) return 'There is no such cluster.'
  return { cluster, namespace, service, ownerKind }
}

interface ChosenSlicesOptions {
  readonly clusters: readonly ClusterConnection[]
  readonly managedBy: string
}

type Listener = (picture: SlicesPicture) => void

interface Followed {
  readonly listeners: Set<Listener>
  readonly ending: AbortController
  latest: SlicesPicture
}

/** Watches the slices of the Services that a page shows, with one watch per Service. */
export class ChosenSlices {
  readonly #clients = new Map<string, ApiClient>()
  readonly #services = new Map<KeyText, Followed>()

  readonly #options: ChosenSlicesOptions

  constructor(options: ChosenSlicesOptions) {
    this.#options = options
  }

  /** Calls back with their state, now and after each change. @returns what ends that */
  follow(service: ServiceKey, listener: Listener): () => void {
    const key = keyText(service)
    const followed = this.#services.get(key) ?? this.#begin(service)
    this.#services.set(key, followed)
    followed.listeners.add(listener)
    listener(followed.latest)
    return () => {
      followed.listeners.delete(listener)
      if (followed.listeners.size > 0) return
      followed.ending.abort()
      this.#services.delete(key)
    }
  }

  stop(): void {
    for (const { ending } of this.#services.values()) ending.abort()
    for (const client of this.#clients.values()) client.close()
  }

  #begin({ cluster, namespace, service, ownerKind }: ServiceKey): Followed {
    const followed: Followed = { listeners: new Set(), ending: new AbortController(), latest: {} }
    const { signal } = followed.ending
    const handler = createSliceWatch(this.#options.managedBy, (picture) => {
      followed.latest = picture
      for (const listener of followed.listeners) listener(picture)
    })
    const labelSelector = ownerOfKind(ownerKind).selector(service)
    const selection = { namespace, labelSelector }
    const client = this.#clientOf(cluster)
    if (client !== undefined)
      void runWatcher(client, { resource: ENDPOINT_SLICES, selection, handler, signal })
    return followed
  }

  /** Creates a client on demand: most clusters are never shown. */
  #clientOf(name: string): ApiClient | undefined {
    const connection = this.#options.clusters.find((cluster) => cluster.name === name)
    const client =
      this.#clients.get(name) ?? (connection && createApiClient(connection, { role: 'read-only' }))
    if (client !== undefined) this.#clients.set(name, client)
    return client
  }
}

/** Ready, unready or terminating. */
type State = 'r' | 'u' | 't'

function stateOf({ conditions }: Endpoint): State {
  if (conditions?.terminating) return 't'
  return conditions?.ready === false ? 'u' : 'r'
}

export interface PicturedSlice {
  readonly name: string
  /** A letter for each endpoint: its state. */
  readonly cells: string
  readonly manager?: string
}

/** A Service's slices as they are drawn, as many as can be drawn. */
interface Picture {
  readonly slices: readonly PicturedSlice[]
  readonly hidden: number
  readonly endpoints: Readonly<Record<State, number>>
}

/** Maximum numbers that are drawn: more are hard to see and would slow down the page. */
const MAX_DRAWN = 24
const MAX_CELLS = 3_000

/** @param managedBy the value of slices that are ours */
export function picturedSlice({ metadata, endpoints }: EndpointSlice, managedBy: string): PicturedSlice {
  const manager = metadata?.labels?.[LABEL_MANAGED_BY]
  return {
    name: printable(metadata?.name ?? ''),
    cells: (endpoints ?? []).map(stateOf).join(''),
    ...(manager !== managedBy && { manager: printable(manager ?? 'no manager') }),
  }
}

export function pictureOf(all: Iterable<PicturedSlice>): Picture {
  const sorted = [...all].sort((one, other) => (one.name < other.name ? -1 : 1))
  const endpoints: Record<State, number> = { r: 0, u: 0, t: 0 }
  const slices: PicturedSlice[] = []
  let cells = 0
  for (const slice of sorted) {
    for (const state of slice.cells as Iterable<State>) endpoints[state]++
    cells += slice.cells.length
    if (slices.length === 0 || (slices.length < MAX_DRAWN && cells <= MAX_CELLS)) slices.push(slice)
  }
  return { slices, hidden: sorted.length - slices.length, endpoints }
}

/** A Service's slices in the API server, or why they cannot be read; neither before the first answer. */
export interface SlicesPicture extends Partial<Picture> {
  readonly problem?: string
}

/** Milliseconds within which changes are shown together. */
const TOGETHER_MS = 200
/** Maximum slices watched of one Service: users who may create slices could make any number. */
const MAX_SLICES = 2_000

/** Draws the objects of a watch, and calls back after each change. */
export function createSliceWatch(
  managedBy: string,
  show: (picture: SlicesPicture) => void,
): WatchHandler<EndpointSlice> {
  let slices = new Map<string, PicturedSlice>()
  let problem: string | undefined
  let timer: NodeJS.Timeout | undefined

  function showNow(): void {
    clearTimeout(timer)
    timer = undefined
    show(problem === undefined ? pictureOf(slices.values()) : { problem })
  }

  function put(slice: EndpointSlice): void {
    const name = slice.metadata?.name ?? ''
    if (slices.has(name) || slices.size < MAX_SLICES) slices.set(name, picturedSlice(slice, managedBy))
  }

  function changed(): void {
    timer ??= setTimeout(showNow, TOGETHER_MS).unref()
  }

  return {
    listing() {
      slices = new Map()
    },
    object: put,
    listed: showNow,
    changed(slice) {
      put(slice)
      changed()
    },
    deleted({ metadata }) {
      slices.delete(metadata?.name ?? '')
      changed()
    },
    failed(error) {
      problem = printable(redactSecrets(errorMessage(error)))
      showNow()
    },
    recovered() {
      problem = undefined
      showNow()
    },
  }
}
