import { makeNode, makePod, makePodStatus, makeService } from '../../test/support/world/index.ts'
import type { EndpointSlice, Pod, Service } from '../endpointslice/index.ts'
import { copyJson } from '../endpointslice/objects/copy.ts'
import {
  type ApiClient,
  type ApiObject,
  ConflictError,
  ENDPOINT_SELECTORS,
  ENDPOINT_SLICES,
  type GetOptions,
  matchesLabels,
  NATIVE_ENDPOINT_SELECTORS,
  NODES,
  NotFoundError,
  type ObjectRef,
  PODS,
  parseLabelSelector,
  type Resource,
  SERVICES,
} from '../kubernetes/index.ts'
import type { ReconcileContext } from '../queue/consumer/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import type { Log } from '../telemetry/index.ts'
import { SILENT_LOG } from '../telemetry/index.ts'
import type { ReconcileOutcome } from './reconcile-outcome.ts'
import { createReconciler, type ReconcilerOptions } from './reconcile-service.ts'

/** The Services, Pods, Nodes and slices of one cluster, in memory; every write makes a new version. */
export interface MemoryCluster {
  readonly client: ApiClient
  /** Calls in order, such as `get pods web-1`; a test may empty the list. */
  readonly calls: string[]
  /** Called just before a call is answered, with the object that is written; a test sets it. */
  before: (call: string, object?: ApiObject) => void
  put<T extends ApiObject>(resource: Resource<T>, object: T): T
  remove(resource: Resource<ApiObject>, name: string): void
  all<T extends ApiObject>(resource: Resource<T>): T[]
  /** Kinds that discovery names beside the built-in ones; a test changes them. */
  served: readonly Resource[]
}

/** Copies a JSON value with its members in an order of its own, as an API server writes them. */
function inOwnOrder<T>(value: T): T {
  if (Array.isArray(value)) return value.map(inOwnOrder) as T
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? 1 : -1))
  return Object.fromEntries(members.map(([name, member]) => [name, inOwnOrder(member)])) as T
}

export function createMemoryCluster(): MemoryCluster {
  const objects = new Map<string, ApiObject>()
  const calls: string[] = []
  let version = 0
  const keyOf = (plural: string, name: string): string => `${plural} ${name}`

  function put<T extends ApiObject>(resource: Resource<T>, object: T): T {
    const key = keyOf(textOf(resource), object.metadata?.name ?? '')
    const uid = objects.get(key)?.metadata?.uid ?? `uid-${++version}`
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(++version) } }
    objects.set(key, inOwnOrder(stored))
    return stored
  }

  function noteCall(call: string, object?: ApiObject): void {
    cluster.before(call, object)
    calls.push(call)
  }

  function found<T extends ApiObject>(resource: Resource<T>, name: string): T {
    const object = objects.get(keyOf(textOf(resource), name))
    if (!isServed(resource)) throw new NotFoundError('404 page not found', 404, {})
    if (object !== undefined) return copyJson(object) as T
    throw new NotFoundError(`no such ${resource.plural}`, 404, { reason: 'NotFound', details: { name } })
  }

  const isServed = (resource: Resource<ApiObject>): boolean =>
    resource.plural !== ENDPOINT_SELECTORS.plural || cluster.served.includes(resource)

  const all = <T extends ApiObject>(resource: Resource<T>): T[] =>
    [...objects]
      .filter(([key]) => key.startsWith(`${textOf(resource)} `))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => copyJson(object) as T)

  const metadataOf = <T extends ApiObject>(object: T, metadataOnly = false): T =>
    metadataOnly ? ({ metadata: object.metadata } as T) : object

  const client: Partial<ApiClient> = {
    cluster: 'blue',
    async get<T extends ApiObject>(
      resource: Resource<T>,
      { name }: ObjectRef,
      { metadataOnly = false, notOlderThan }: GetOptions = {},
    ) {
      noteCall(`get ${textOf(resource)} ${name}${versionText(notOlderThan)}`)
      return metadataOf(found(resource, name), metadataOnly)
    },
    async read<T>(path: string) {
      cluster.before(`read ${path}`)
      return discoveryAt(path, cluster.served) as T
    },
    async list(resource, { labelSelector = '', metadataOnly, notOlderThan } = {}) {
      noteCall(`list ${resource.plural}${versionText(notOlderThan)}`)
      const requirements = parseLabelSelector(labelSelector)
      const items = all(resource).filter(({ metadata }) =>
        matchesLabels(requirements, (metadata as EndpointSlice['metadata'])?.labels ?? {}),
      )
      const metadata = { resourceVersion: String(version) }
      return { items: items.map((item) => metadataOf(item, metadataOnly)), metadata }
    },
    async create(resource, object) {
      const name = object.metadata?.name ?? ''
      noteCall(`create ${resource.plural} ${name}`, object)
      if (objects.has(keyOf(textOf(resource), name)))
        throw new ConflictError(`${name} is there`, 409, { code: 409, reason: 'AlreadyExists' })
      return put(resource, object)
    },
    async update(resource, object) {
      const name = object.metadata?.name ?? ''
      noteCall(`update ${resource.plural} ${name}`, object)
      if (found(resource, name).metadata?.resourceVersion !== object.metadata?.resourceVersion)
        throw new ConflictError(`${name} has been modified`, 409, { code: 409, reason: 'Conflict' })
      return put(resource, object)
    },
    async delete(resource, { name }, { preconditions } = {}) {
      noteCall(`delete ${resource.plural} ${name}`)
      const { resourceVersion } = found(resource, name).metadata ?? {}
      if ((preconditions?.resourceVersion ?? resourceVersion) !== resourceVersion)
        throw new ConflictError(`${name} has been modified`, 409, { code: 409, reason: 'Conflict' })
      cluster.remove(resource, name)
    },
  }
  const cluster: MemoryCluster = {
    client: client as ApiClient,
    calls,
    before: () => {},
    put,
    remove: (resource, name) => void objects.delete(keyOf(textOf(resource), name)),
    all,
    served: [ENDPOINT_SELECTORS],
  }
  return cluster
}

/** Answers what `/apis` and the paths below it say of these kinds. */
function discoveryAt(path: string, served: readonly Resource[]): object {
  if (path === '/apis')
    return { groups: served.map(({ group, version }) => ({ name: group, versions: [{ version }] })) }
  const of = served.filter(({ group, version }) => path === `/apis/${group}/${version}`)
  return { resources: of.map(({ plural }) => ({ name: plural })) }
}

/** Two kinds of one plural differ by their groups. */
const textOf = ({ plural, group }: Resource<ApiObject>): string =>
  group === NATIVE_ENDPOINT_SELECTORS.group && plural === NATIVE_ENDPOINT_SELECTORS.plural
    ? `${plural}.${group}`
    : plural

const versionText = (notOlderThan: string | undefined): string =>
  notOlderThan === undefined ? '' : ` not older than ${notOlderThan}`

const NAMESPACE = 'shop'
export const KEY: KeyMessage = { cluster: 'blue', namespace: NAMESPACE, service: 'web' }

/** Returns the Service `web`, with the changes that a test wants. */
export const webService = (
  spec: Partial<NonNullable<Service['spec']>> = {},
  annotations: Readonly<Record<string, string>> = {},
): Service =>
  makeService({
    namespace: NAMESPACE,
    annotations,
    spec: { clusterIP: '10.1.0.1', ipFamilies: ['IPv4'], ...spec },
  })

/** Returns the pod `web-NUMBER`, with addresses of both families. */
export const webPod = (number: number, ready = true): Pod =>
  makePod({
    namespace: NAMESPACE,
    name: `web-${number}`,
    status: makePodStatus([`10.0.0.${number}`, `fd00::${number}`], { ready, transitionTime: new Date(0) }),
  })

export type Settings = ReconcilerOptions['settings']

export interface LookOptions {
  readonly settings: Settings
  readonly receiveCount?: number
  readonly recorder?: ReconcilerOptions['recorder']
}

/** State between messages, with a clock that only pauses and the test move. */
export interface Process {
  /** Milliseconds since the epoch. */
  readonly clock: { now: number }
  /** Lengths of the pauses so far, in milliseconds. */
  readonly pauses: readonly number[]
  readonly outcomes: readonly ReconcileOutcome[]
  /** Errors that `onFailed` was called with. */
  readonly failures: readonly unknown[]
  /**
   * Handles one message, sent now and received for the first time unless the context says otherwise. A
   * message with a hint is one of a relay that verifies, as all are.
   */
  handle(
    message?: Partial<KeyMessage> & { readonly messageIds?: readonly string[] },
    context?: Partial<ReconcileContext>,
  ): Promise<void>
}

export interface ProcessOptions {
  readonly settings: Settings
  /** Milliseconds since the epoch at the start; default 0. */
  readonly now?: number
  readonly logger?: Log
  readonly recorder?: ReconcilerOptions['recorder']
}

export function startProcess(
  { client }: Pick<MemoryCluster, 'client'>,
  { settings, now = 0, logger = SILENT_LOG, recorder }: ProcessOptions,
): Process {
  const clock = { now }
  const pauses: number[] = []
  const outcomes: ReconcileOutcome[] = []
  const failures: unknown[] = []
  const reconcile = createReconciler({
    clientOf: () => client,
    settings,
    logger,
    recorder,
    clock: {
      now: () => clock.now,
      async pause(ms) {
        pauses.push(ms)
        clock.now += ms
      },
    },
    onReconciled: (outcome) => outcomes.push(outcome),
    onFailed: (_key, error) => failures.push(error),
  })
  const { signal } = new AbortController()
  return {
    clock,
    pauses,
    outcomes,
    failures,
    handle: (message = {}, context = {}) =>
      reconcile(
        { ...KEY, messageIds: [], ...(message.hint && { relayVerifies: true }), ...message },
        { signal, sentTimestamp: clock.now, receiveCount: 1, ...context },
      ),
  }
}

/** Handles one message in a process that is new. */
export async function sync(
  cluster: MemoryCluster,
  message: Partial<KeyMessage>,
  { settings, receiveCount = 1, recorder }: LookOptions,
): Promise<ReconcileOutcome | undefined> {
  const { handle, outcomes } = startProcess(cluster, { settings, ...(recorder && { recorder }) })
  await handle(message, { receiveCount })
  return outcomes[0]
}

/** Returns a cluster with a Service that needs no write and has this many ready pods. */
export async function atRest(
  pods: number,
  settings: Settings,
  service = webService(),
): Promise<MemoryCluster> {
  const cluster = createMemoryCluster()
  cluster.put(NODES, makeNode())
  cluster.put(SERVICES, service)
  for (let number = 1; number <= pods; number++) cluster.put(PODS, webPod(number))
  await sync(cluster, {}, { settings })
  cluster.calls.length = 0
  return cluster
}

/** Returns the names of the slices that hold a pod. */
export const slicesWith = (cluster: MemoryCluster, pod: string): string[] =>
  cluster
    .all(ENDPOINT_SLICES)
    .filter(({ endpoints }) => endpoints?.some(({ targetRef }) => targetRef?.name === pod))
    .map(({ metadata }) => metadata?.name ?? '')
