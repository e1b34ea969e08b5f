import {
  ANNOTATION_CLUSTER,
  DELETE_LEFTOVERS_ADVICE,
  goesWithService,
  invalidReason,
  isLeftover,
  isOurs,
  leftoversOf,
  type PausedSelection,
  type PermissionSettings,
  permissionsOf,
  type Selection,
  type ServiceKey,
  selectionOf,
  unpublishedAdvice,
  unpublishedOwner,
} from '../../shared/changes/index.ts'
import {
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  isMirror,
  type Service,
  type SkippedObject,
} from '../../shared/endpointslice/index.ts'
import { ENDPOINTS, KubernetesError } from '../../shared/kubernetes/index.ts'
import {
  type EndpointPart,
  EndpointReader,
  foreignSlicesOf,
  handoverEvent,
  handoverOf,
  isUnread,
  pausedReason,
  type ReadableCluster,
  readObject,
  readState,
  UnknownClusterError,
} from '../../shared/reconciler/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { errorMessage } from '../../shared/values/index.ts'
import { explainMirrors, type MirroredService, mirroredManagement } from './explain-mirrored.ts'
import { type ExplainSettings, explainPlan, type PlannedService } from './explain-plan.ts'
import { managedReason, sourceOf, unmanagedReason } from './management.ts'
import {
  doubleManagement,
  explainLeftover,
  inTreeAtWork,
  leftBehind,
  managerOf,
  managersOf,
  reportSlice,
} from './managers.ts'
import type { Management, ServiceReport } from './report.ts'

export interface ExplainServiceOptions {
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  readonly key: ServiceKey
  readonly settings: ExplainSettings & PermissionSettings & Pick<Settings, 'mode'>
  readonly signal: AbortSignal
  /** Milliseconds since the epoch; default Date.now. */
  readonly now?: () => number
}

type Common = Pick<
  ServiceReport,
  'version' | 'cluster' | 'namespace' | 'service' | 'ownerKind' | 'mode' | 'managedBy' | 'managers'
>

const UNREAD =
  'nothing is planned while its pods cannot be read; if their cluster cannot be reached, the setting unreachableCluster decides what happens to the slices'

const NO_WRITES = { create: [], update: [], delete: [] } as const

/**
 * Reads a Service and everything that its slices follow from, and says what is, why, and what the next
 * reconcile would write. Nothing is written. A Service of the in-tree controller's is explained by the same
 * rules, which are that one's.
 * @returns `undefined` when there is neither the Service nor a slice that names it
 * @throws KubernetesError when a read of the Service's own cluster failed
 */
export async function explainService(options: ExplainServiceOptions): Promise<ServiceReport | undefined> {
  const { clusterOf, key, settings, signal } = options
  const { client } = clusterOf(key.cluster)
  const { slices, service } = await readState({ client, key, signal })
  const { mode, managedBy } = settings
  const common: Common = {
    version: 1,
    cluster: key.cluster,
    namespace: key.namespace,
    service: key.service,
    ...(key.ownerKind && { ownerKind: key.ownerKind }),
    mode,
    managedBy,
    managers: managersOf(slices, managedBy),
  }
  if (service === undefined) {
    if (slices.length === 0) return undefined
    const management = {
      state: 'Absent',
      reason: `there is no such ${key.ownerKind ?? 'Service'}, only slices that name it`,
    } as const
    return withoutPlan(common, { management, slices, leftovers: { goes: goesWithService } })
  }
  const other = unpublishedOwner(key.ownerKind, settings)
  if (other !== undefined) {
    const management = { state: 'Unmanaged', reason: `the setting ${other.enabledBy} is off` } as const
    const leftovers = stayingOf(slices, managedBy, unpublishedAdvice(other, managedBy))
    return withoutPlan(common, { management, slices, leftovers })
  }
  const others = foreignSlicesOf(service, slices, (slice) => managerOf(slice) === managedBy)
  if (others.length > 0) {
    const management = { state: 'Unmanaged', reason: claimedReason(others) } as const
    return withoutPlan(common, { management, slices, leftovers: givenUp(options, service, slices, true) })
  }
  const permissions = permissionsOf(key.cluster, settings)
  const selection = selectionOf(service, mode, permissions)
  switch (selection.kind) {
    case 'managed':
    case 'sourced': {
      const management = {
        state: 'Managed',
        reason: managedReason(selection, key.ownerKind ? 'replace' : mode),
      } as const
      return explainManaged(options, common, {
        management,
        service,
        selection,
        slices,
        plannedFor: managedBy,
      })
    }
    case 'invalid': {
      const reason = invalidReason(selection)
      return withoutPlan(common, { management: { state: 'Invalid', reason }, slices, leftovers: ALL_STAY })
    }
    case 'paused':
      return explainPaused(options, common, { service, selection, slices })
    case 'mirrored': {
      const ref = { namespace: key.namespace, name: key.service }
      const endpoints = await readObject(client, ENDPOINTS, ref, { signal })
      return explainMirrored(options, common, { service, selection, endpoints, slices })
    }
    case 'unmanaged': {
      const management = { state: 'Unmanaged', reason: unmanagedReason(selection.reason) } as const
      const policy =
        leftoversOf(selection, settings.leftovers) === 'keep'
          ? stayingLeftovers(slices, selection, managedBy)
          : givenUp(options, service, slices)
      const inTree = selectionOf(service, 'replace', permissions)
      if (inTree.kind !== 'managed' || managedBy === IN_TREE_CONTROLLER)
        return withoutPlan(common, { management, slices, leftovers: policy })
      const planned = { service, selection: inTree, slices, plannedFor: IN_TREE_CONTROLLER }
      const report = await explainManaged(options, common, { management, ...planned })
      return withLeftovers(report, slices, policy)
    }
  }
}

interface PausedService {
  readonly service: Service
  readonly selection: PausedSelection
  readonly slices: readonly EndpointSlice[]
}

/** Says since when nothing is written, and what the next reconcile would write without the pause. */
async function explainPaused(
  options: ExplainServiceOptions,
  common: Common,
  { service, selection, slices }: PausedService,
): Promise<ServiceReport> {
  const management = { state: 'Paused', reason: pausedReason(service, selection) } as const
  const { of } = selection
  if (of.kind !== 'managed' && of.kind !== 'sourced')
    return withoutPlan(common, { management, slices, leftovers: ALL_STAY })
  const planned = { service, selection: of, slices, plannedFor: common.managedBy }
  const report = await explainManaged(options, common, { management, ...planned })
  const then = Object.entries(report.writes).flatMap(([verb, written]) =>
    written.length === 0 ? [] : [`${verb} ${written.join(', ')}`],
  )
  const warning = `without the pause the next reconcile would ${then.join('; ')}`
  return {
    ...report,
    warnings: then.length === 0 ? report.warnings : [warning, ...report.warnings],
    writes: NO_WRITES,
  }
}

function explainMirrored(
  { settings, now = Date.now }: ExplainServiceOptions,
  common: Common,
  mirrored: MirroredService,
): ServiceReport {
  const { slices } = mirrored
  const { writes, warnings, problems, ...explained } = explainMirrors(mirrored, settings, now())
  const { state, reason } = mirroredManagement(mirrored)
  return {
    ...common,
    management: { state, reason, ...(state === 'Managed' && { plannedFor: common.managedBy }) },
    ...(state === 'Managed' && { source: { kind: 'Endpoints' } }),
    warnings: [...leftBehind(slices, common.managedBy), ...doubleManagement(slices), ...warnings],
    addressTypes: [],
    hints: [],
    endpoints: [],
    slices: explained.slices.map((slice, index) => reportSlice(slice, slices[index], common.managedBy)),
    writes: { create: names(writes.create), update: names(writes.update), delete: names(writes.delete) },
    problems,
  }
}

async function explainManaged(
  { clusterOf, key, settings, signal, now = Date.now }: ExplainServiceOptions,
  common: Common,
  { management, ...planned }: PlannedService & { readonly management: Management },
): Promise<ServiceReport> {
  const { service, selection, slices, plannedFor } = planned
  const reader = new EndpointReader({ cluster: key.cluster, clusterOf, signal })
  const clusters = selection.kind === 'managed' ? (selection.clusters ?? [key.cluster]) : [key.cluster]
  const parts = await reader.read({ service, selection, slices }).catch((error: unknown): Management => {
    if (error instanceof UnknownClusterError)
      return {
        state: 'Invalid',
        reason: invalidReason({ kind: 'invalid', annotation: ANNOTATION_CLUSTER, problem: error.message }),
      }
    if (clusters.every((each) => each === key.cluster) || !(error instanceof KubernetesError)) throw error
    return { state: 'Unread', reason: error.message }
  })
  const unreadable = 'state' in parts ? parts : unreadableOf(parts)
  if ('state' in parts || unreadable !== undefined) {
    const found = unreadable ?? management
    const report = withoutPlan(common, { management: found, slices, leftovers: ALL_STAY })
    return found.state === 'Unread' ? { ...report, warnings: [...report.warnings, UNREAD] } : report
  }
  const { addressTypes, hints, plan, writes, ...explained } = explainPlan(planned, parts, settings, now())
  return {
    ...common,
    management: { ...management, plannedFor },
    source: sourceOf(selection, service, key.cluster),
    warnings: [
      ...(plannedFor === common.managedBy ? inTreeAtWork(slices, plannedFor) : []),
      ...leftBehind(slices, common.managedBy),
      ...doubleManagement(slices),
      ...parts.filter(isUnread).map((part) => `${errorMessage(part.error)}: ${UNREAD}`),
      ...explained.warnings,
    ],
    addressTypes,
    hints,
    endpoints: explained.endpoints,
    slices: explained.slices.map((slice, index) => reportSlice(slice, slices[index], common.managedBy)),
    writes: { create: names(writes.create), update: names(writes.update), delete: names(writes.delete) },
    problems: plan.skipped.filter(({ kind }) => kind !== 'Pod').map(describeSkipped),
  }
}

const names = (some: readonly EndpointSlice[]): string[] => some.map(({ metadata }) => metadata?.name ?? '')

/** Returns what a Service is of which no cluster can be reached; undefined for others. */
function unreadableOf(parts: readonly EndpointPart[]): Management | undefined {
  const [first, ...others] = parts.filter(isUnread)
  if (first === undefined || others.length + 1 < parts.length) return undefined
  return { state: 'Unread', reason: errorMessage(first.error) }
}

interface Unplanned {
  readonly management: Management
  readonly slices: readonly EndpointSlice[]
  readonly leftovers: Leftovers
}

/** Fate of slices with our managed-by value. */
interface Leftovers {
  readonly goes: (slice: EndpointSlice) => boolean
  /** Reason why some of them stay for now. */
  readonly warning?: string
}

const ALL_STAY: Leftovers = { goes: () => false }

/** Says that slices of ours stay that nothing updates. */
function stayingLeftovers(
  slices: readonly EndpointSlice[],
  selection: Selection,
  managedBy: string,
): Leftovers {
  const stay = slices.filter((slice) => isLeftover({ isMirror: isMirror(slice) }, selection))
  return stayingOf(stay, managedBy, `nothing updates slices of ours that stay: ${DELETE_LEFTOVERS_ADVICE}`)
}

/** @param warning where slices of ours are among them */
function stayingOf(slices: readonly EndpointSlice[], managedBy: string, warning: string): Leftovers {
  const isStaying = slices.some((slice) => managerOf(slice) === managedBy && isOurs(slice))
  return isStaying ? { ...ALL_STAY, warning } : ALL_STAY
}

const claimedReason = (slices: readonly EndpointSlice[]): string =>
  `another controller publishes it: slices of ${[...new Set(slices.map(managerOf))].join(', ')} are its own`

/**
 * Decides by the same steps as a reconcile which slices are given up.
 * @param isClaimed whether another controller publishes the object, whatever the mode
 */
function givenUp(
  { settings: { mode, managedBy }, now = Date.now }: ExplainServiceOptions,
  service: Service,
  everybodys: readonly EndpointSlice[],
  isClaimed = false,
): Leftovers {
  const slices = everybodys.filter((slice) => managerOf(slice) === managedBy && isOurs(slice))
  const handover = handoverOf({ service, slices, everybodys, ...(!isClaimed && { mode }) }, now())
  if (handover.kind === 'done') return { goes: isOurs }
  return { ...ALL_STAY, warning: handoverEvent(handover.since, slices, isClaimed ? undefined : mode).message }
}

/** Reports on a Service whose endpoints are not managed here: only its slices are described. */
function withoutPlan(common: Common, { management, slices, leftovers }: Unplanned): ServiceReport {
  const report: ServiceReport = {
    ...common,
    management,
    warnings: [...leftBehind(slices, common.managedBy), ...doubleManagement(slices)],
    addressTypes: [],
    hints: [],
    endpoints: [],
    slices: slices.map((slice) => explainLeftover(slice, common.managedBy, false)),
    writes: NO_WRITES,
    problems: [],
  }
  return withLeftovers(report, slices, leftovers)
}

/** Adds to the report what becomes of our slices of a Service that is not ours. */
function withLeftovers(
  report: ServiceReport,
  slices: readonly EndpointSlice[],
  { goes, warning }: Leftovers,
): ServiceReport {
  const explained = slices.map((slice, index) => {
    const other = report.slices[index]
    if (other !== undefined && managerOf(slice) !== report.managedBy) return other
    return explainLeftover(slice, report.managedBy, goes(slice))
  })
  const deleted = explained
    .filter(({ outcome, managedBy }) => outcome === 'Delete' && managedBy === report.managedBy)
    .map(({ name }) => name)
  const warnings = warning === undefined ? report.warnings : [...report.warnings, warning]
  return { ...report, warnings, slices: explained, writes: { ...NO_WRITES, delete: deleted } }
}

const describeSkipped = ({ kind, namespace, name, message }: SkippedObject): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`} is left out: ${message}`
