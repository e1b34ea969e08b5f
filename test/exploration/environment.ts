import type { SyncHint } from '../../shared/changes/index.ts'
import {
  type EndpointSlice,
  LABEL_MANAGED_BY,
  type Pod,
  type Service,
} from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../shared/kubernetes/index.ts'
import { type KeyMessage, mergeMessages } from '../../shared/queue/index.ts'
import { makeNode, makePod, makePodStatus, makeService, type ServiceInput } from '../support/world/index.ts'
import {
  ENDPOINTS_A_SLICE,
  type EnvironmentStep,
  keyMessage,
  MANAGED_BY,
  NAMESPACE,
  SERVICE,
} from './scenario.ts'
import {
  keyOf,
  objectsOf,
  podsBehind,
  putObject,
  removeObject,
  type SimulatedCluster,
} from './simulated-api.ts'
import { relayMessage } from './verifying-relay.ts'

const TIME = new Date(Date.UTC(2026, 0, 1))

export interface PodChange {
  readonly app?: string
  readonly ready?: boolean
}

/** Makes a message. Minimum resource versions make sense only if versions are global. */
const message = ({ versions }: SimulatedCluster, resourceVersion?: string): KeyMessage => ({
  ...keyMessage(),
  ...(versions === 'global' && resourceVersion !== undefined && { resourceVersion }),
})

/** Gives each pod number its own address. */
const addressOf = (name: string): string => `10.0.0.${Number(name.split('-')[1])}`

export function withPod(
  cluster: SimulatedCluster,
  name: string,
  { app = SERVICE, ready = true }: PodChange = {},
): SimulatedCluster {
  const status = makePodStatus([addressOf(name)], { ready, transitionTime: TIME })
  return putObject(
    cluster,
    PODS.plural,
    makePod({ namespace: NAMESPACE, name, labels: { app, all: 'yes' }, status }),
  )
}

/**
 * @param app the pods that it selects; `all`: every pod
 * @param more its ports
 */
export function withService(
  cluster: SimulatedCluster,
  app: string = SERVICE,
  more: Pick<ServiceInput, 'ports'> = {},
): SimulatedCluster {
  const spec = { clusterIP: '10.1.0.1', ipFamilies: ['IPv4'] }
  const selector: Record<string, string> = app === 'all' ? { all: 'yes' } : { app }
  const service = makeService({ namespace: NAMESPACE, name: SERVICE, selector, spec, ...more })
  return putObject(cluster, SERVICES.plural, service)
}

export const withNode = (cluster: SimulatedCluster): SimulatedCluster =>
  putObject(cluster, NODES.plural, makeNode())

/** Adds or changes a pod. The message has the pod's version, as a relay's messages do. */
export function putPod(name: string, change: PodChange = {}): EnvironmentStep {
  return {
    label: `pod ${name} is ${change.ready === false ? 'not ready' : 'ready'}${change.app ? ` and of ${change.app}` : ''}`,
    change: (cluster) => withPod(cluster, name, change),
    messages: (after, before) =>
      isSelected(before, name) || isSelected(after, name)
        ? [message(after, podOf(after, name)?.metadata?.resourceVersion)]
        : [],
  }
}

/** Deletes a pod. The deletion has the cluster's version at that time. */
export function deletePod(name: string): EnvironmentStep {
  return {
    label: `pod ${name} is deleted`,
    change(cluster) {
      const pod = podOf(cluster, name)
      return pod === undefined ? cluster : removeObject(cluster, PODS.plural, pod)
    },
    messages: (after, before) => (isSelected(before, name) ? [message(after, String(after.revision))] : []),
  }
}

/** Reports whether a Service selects the pod. The relay sends nothing for other pods. */
const isSelected = (cluster: SimulatedCluster, name: string): boolean =>
  objectsOf<Service>(cluster, SERVICES.plural).some(({ spec }) =>
    Object.entries(spec?.selector ?? {}).every(
      ([label, value]) => podOf(cluster, name)?.metadata?.labels?.[label] === value,
    ),
  )

export const putService = (app = SERVICE, more: Pick<ServiceInput, 'ports'> = {}): EnvironmentStep => ({
  label: `the Service selects ${app}${Object.keys(more).map((field) => ` and has other ${field}`)}`,
  change: (cluster) => withService(cluster, app, more),
  messages: (cluster) => [message(cluster)],
})

export const deleteService = (): EnvironmentStep => ({
  label: 'the Service is deleted',
  change: (cluster) =>
    objectsOf<Service>(cluster, SERVICES.plural).reduce(
      (before, service) => removeObject(before, SERVICES.plural, service),
      cluster,
    ),
  messages: (cluster) => [message(cluster)],
})

/**
 * Edits our first slice, if there is one, as `kubectl edit` does. Its seal is broken, so that the relay sends
 * the key.
 */
export const editSlice = (): EnvironmentStep => ({
  label: 'somebody edits a slice of ours',
  change: (cluster) =>
    onFirstSlice(cluster, (slice) => ({
      ...slice,
      endpoints: slice.endpoints?.map((endpoint) => ({ ...endpoint, conditions: { ready: false } })),
    })),
  messages: (cluster) => [message(cluster)],
})

export const takeSlice = (): EnvironmentStep => ({
  label: 'somebody takes over a slice of ours',
  change: (cluster) =>
    onFirstSlice(cluster, (slice) => ({
      ...slice,
      metadata: { ...slice.metadata, labels: { ...slice.metadata?.labels, [LABEL_MANAGED_BY]: 'somebody' } },
    })),
  messages: (cluster) => [message(cluster)],
})

/**
 * Changes Pods, and has the relay say where looking suffices, by the slices that it sees at that time.
 * Versions must be global. A worker may get the message at any later time, when all may have changed.
 * @param seen the slices that the relay knows by then, which may be older: those of an earlier state;
 *   default: those that there are
 */
export const hinted = (
  step: EnvironmentStep,
  pods: readonly string[],
  seen?: SimulatedCluster | ((now: SimulatedCluster) => SimulatedCluster),
): EnvironmentStep => ({
  label: `${step.label}, hinted${seen === undefined ? '' : ' by a relay that lags'}`,
  change: step.change,
  messages(after, before) {
    const known = typeof seen === 'function' ? seen(before) : (seen ?? before)
    const hint = hintOf(known, pods)
    const [service] = objectsOf<Service>(known, SERVICES.plural)
    const serviceVersion = service?.metadata?.resourceVersion
    return step
      .messages(after, before)
      .map((reported) =>
        hint === undefined ? reported : { ...reported, hint, ...(serviceVersion && { serviceVersion }) },
      )
  },
})

/**
 * Has the relay say what it has seen of what changed, beside the slices as it sees them then.
 * @param pods those that changed; default: it is not Pods
 */
export const informed = (step: EnvironmentStep, pods?: readonly string[]): EnvironmentStep => ({
  label: `${step.label}, with ${pods === undefined ? 'what may be read at once' : 'facts'}`,
  change: step.change,
  messages: (after, before) =>
    step.messages(after, before).map(({ resourceVersion }) =>
      relayMessage(after, before, {
        ...(pods !== undefined && { pods }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      }),
    ),
})

/**
 * A relay sends late what it has seen of Pods, as its watch of Pods is behind those of the others.
 * @param back the number of changes of Pods that it has not seen
 * @param what the Pods that it names, or the change of the Service about which it sends all of them
 */
export const informedLate = (back: number, what: readonly string[] | EnvironmentStep): EnvironmentStep => {
  const step = 'change' in what ? what : undefined
  return {
    label: `the relay, ${back} behind, sends facts${step ? `, as ${step.label}` : ''}`,
    change: (cluster) => step?.change(cluster) ?? cluster,
    messages(after) {
      const then = podsBehind(after, back)
      const resourceVersion = String(then.revision)
      return [
        relayMessage(then, after, 'change' in what ? { resourceVersion } : { pods: what, resourceVersion }),
      ]
    },
  }
}

/**
 * Makes the hint as a relay does: the slices that hold the Pods, and the fullest one with room for those that
 * none holds.
 */
function hintOf(seen: SimulatedCluster, pods: readonly string[]): SyncHint | undefined {
  const slices = objectsOf<EndpointSlice>(seen, ENDPOINT_SLICES.plural).filter(
    ({ metadata, endpoints }) => metadata?.labels?.[LABEL_MANAGED_BY] === MANAGED_BY && endpoints?.length,
  )
  const holding = slices.filter((slice) => pods.some((name) => holds(slice, name)))
  const free = slices
    .filter(({ endpoints }) => (endpoints?.length ?? 0) < ENDPOINTS_A_SLICE)
    .sort((a, b) => (b.endpoints?.length ?? 0) - (a.endpoints?.length ?? 0))
  const areHeld = pods.every((name) => holding.some((slice) => holds(slice, name)))
  const named = areHeld ? holding : [...holding, ...free.slice(0, 1)]
  if (named.length === 0 || (!areHeld && free.length === 0)) return undefined
  const versions = new Map(
    named.map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']),
  )
  return { pods, slices: [...versions.keys()], sliceVersions: [...versions.values()] }
}

const holds = ({ endpoints }: EndpointSlice, name: string): boolean =>
  endpoints?.some(({ targetRef }) => targetRef?.name === name) ?? false

/** Changes whose messages the relay holds back and sends as one. */
export function together(first: EnvironmentStep, ...others: readonly EnvironmentStep[]): EnvironmentStep {
  const [second, ...rest] = others
  if (second === undefined) return first
  const then = together(second, ...rest)
  return {
    label: `${first.label}, then ${then.label}`,
    change: (cluster) => then.change(first.change(cluster)),
    messages(_, before) {
      const between = first.change(before)
      const [earlier] = first.messages(between, before)
      const [later] = then.messages(then.change(between), between)
      if (earlier === undefined || later === undefined) return [earlier ?? later].filter(isPresent)
      return [mergeMessages(earlier, later)]
    },
  }
}

const isPresent = (found: KeyMessage | undefined): found is KeyMessage => found !== undefined

/**
 * Gives the message a version that this cluster never had, as it was restored or made again under the same
 * name.
 */
export const fromBeforeRestore = (step: EnvironmentStep): EnvironmentStep => ({
  ...step,
  messages: (cluster) => [message(cluster, '999999')],
})

const podOf = (cluster: SimulatedCluster, name: string): Pod | undefined =>
  cluster.objects.get(keyOf(PODS.plural, { metadata: { namespace: NAMESPACE, name } }))?.object

function onFirstSlice(
  cluster: SimulatedCluster,
  edit: (slice: EndpointSlice) => EndpointSlice,
): SimulatedCluster {
  const [slice] = objectsOf<EndpointSlice>(cluster, ENDPOINT_SLICES.plural)
  return slice === undefined ? cluster : putObject(cluster, ENDPOINT_SLICES.plural, edit(slice))
}
