import {
  ANNOTATION_CLUSTER,
  DELETE_LEFTOVERS_ADVICE,
  goesWithService,
  invalidReason,
  isLeftover,
  isOurs,
  keyFields,
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
  type SliceExplanation,
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
import type { Mode, Settings } from '../../shared/settings/index.ts'
import { errorMessage } from '../../shared/values/index.ts'
import { explainMirrors, type MirroredService, mirroredManagement } from './explain-mirrored.ts'
import { type ExplainSettings, explainPlan, type PlannedService, type Writes } from './explain-plan.ts'
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
import type { Management, ServiceReport, SliceReport } from './report.ts'

export interface ExplainServiceOptions {
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  readonly key: ServiceKey
  readonly settings: ExplainSettings & PermissionSettings & Pick<Settings, 'mode'>
  readonly signal: AbortSignal
  /** Milliseconds since the epoch; default Date.now. */
  readonly now?: () => number
}

const UNREAD =
  'nothing is planned while its pods cannot be read; if their cluster cannot be reached, the setting unreachableCluster decides what happens to the slices'

const NO_WRITES = { create: [], update: [], delete: [] } as const

/** Fate of slices with our managed-by value. */
interface Leftovers {
  readonly goes: (slice: EndpointSlice) => boolean
  /** Reason why some of them stay for now. */
  readonly warning?: string
}

const ALL_STAY: Leftovers = { goes: () => false }

/**
 * Reads a Service and everything that its slices follow from, and says what is, why, and what the next
 * reconcile would write. Nothing is written. A Service of the in-tree controller's is explained by the same
 * rules, which are that one's.
 * @returns `undefined` when there is neither the Service nor a slice that names it
 * @throws KubernetesError when a read of the Service's own cluster failed
 */
export async function explainService(options: ExplainServiceOptions): Promise<ServiceReport | undefined> {
  const { clusterOf, key, signal } = options
  const { slices, service } = await readState({ client: clusterOf(key.cluster).client, key, signal })
  if (service === undefined && slices.length === 0) return undefined
  const explainer = new ServiceExplainer(options, slices)
  return service === undefined ? explainer.absent() : explainer.explain(service)
}

/** Explains a Service by the slices of every manager that name it. */
class ServiceExplainer {
  readonly #options: ExplainServiceOptions
  readonly #slices: readonly EndpointSlice[]
  readonly #common: Pick<
    ServiceReport,
    'version' | 'cluster' | 'namespace' | 'service' | 'ownerKind' | 'mode' | 'managedBy' | 'managers'
  >

  constructor(options: ExplainServiceOptions, slices: readonly EndpointSlice[]) {
    const { mode, managedBy } = options.settings
    const managers = managersOf(slices, managedBy)
    this.#options = options
    this.#slices = slices
    this.#common = { version: 1, ...keyFields(options.key), mode, managedBy, managers }
  }

  absent(): ServiceReport {
    const reason = `there is no such ${this.#common.ownerKind ?? 'Service'}, only slices that name it`
    return this.#withoutPlan({ state: 'Absent', reason }, { goes: goesWithService })
  }

  async explain(service: Service): Promise<ServiceReport> {
    const { key, settings } = this.#options
    const { mode, managedBy, leftovers } = settings
    const other = unpublishedOwner(key.ownerKind, settings)
    if (other !== undefined) {
      const fate = staying(this.#ours(), unpublishedAdvice(other, managedBy))
      return this.#withoutPlan({ state: 'Unmanaged', reason: `the setting ${other.enabledBy} is off` }, fate)
    }
    const others = foreignSlicesOf(service, this.#slices, (slice) => managerOf(slice) === managedBy)
    if (others.length > 0)
      return this.#withoutPlan({ state: 'Unmanaged', reason: claimedReason(others) }, this.#givenUp(service))
    const permissions = permissionsOf(key.cluster, settings)
    const selection = selectionOf(service, mode, permissions)
    switch (selection.kind) {
      case 'managed':
      case 'sourced': {
        const reason = managedReason(selection, key.ownerKind ? 'replace' : mode)
        return this.#planned({ state: 'Managed', reason }, { service, selection })
      }
      case 'invalid':
        return this.#withoutPlan({ state: 'Invalid', reason: invalidReason(selection) })
      case 'paused':
        return this.#paused(service, selection)
      case 'mirrored':
        return this.#mirrored(service, selection)
      case 'unmanaged': {
        const management = { state: 'Unmanaged', reason: unmanagedReason(selection.reason) } as const
        const isKept = leftoversOf(selection, leftovers) === 'keep'
        const fate = isKept ? this.#leftovers(selection) : this.#givenUp(service, mode)
        const inTree = selectionOf(service, 'replace', permissions)
        if (inTree.kind !== 'managed' || managedBy === IN_TREE_CONTROLLER)
          return this.#withoutPlan(management, fate)
        const report = await this.#planned(management, { service, selection: inTree }, IN_TREE_CONTROLLER)
        return this.#withLeftovers(report, fate)
      }
    }
  }

  /** Says since when nothing is written, and what the next reconcile would write without the pause. */
  async #paused(service: Service, selection: PausedSelection): Promise<ServiceReport> {
    const management = { state: 'Paused', reason: pausedReason(service, selection) } as const
    const { of } = selection
    if (of.kind !== 'managed' && of.kind !== 'sourced') return this.#withoutPlan(management)
    const report = await this.#planned(management, { service, selection: of })
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

  async #mirrored(service: Service, selection: MirroredService['selection']): Promise<ServiceReport> {
    const { clusterOf, key, settings, signal } = this.#options
    const ref = { namespace: key.namespace, name: key.service }
    const endpoints = await readObject(clusterOf(key.cluster).client, ENDPOINTS, ref, { signal })
    const mirrored = { service, selection, endpoints, slices: this.#slices }
    const { writes, warnings, problems, slices } = explainMirrors(mirrored, settings, this.#now())
    const { state, reason } = mirroredManagement(mirrored)
    const isManaged = state === 'Managed'
    const plannedFor = isManaged ? settings.managedBy : undefined
    const report = this.#report({ state, reason, plannedFor }, this.#reported(slices))
    return {
      ...report,
      source: isManaged ? { kind: 'Endpoints' } : undefined,
      warnings: [...report.warnings, ...warnings],
      writes: namesOf(writes),
      problems,
    }
  }

  async #planned(
    management: Management,
    of: Pick<PlannedService, 'service' | 'selection'>,
    plannedFor = this.#common.managedBy,
  ): Promise<ServiceReport> {
    const { key, settings } = this.#options
    const parts = await this.#read(of)
    if ('state' in parts) {
      const report = this.#withoutPlan(parts)
      return parts.state === 'Unread' ? { ...report, warnings: [...report.warnings, UNREAD] } : report
    }
    const planned = { ...of, slices: this.#slices, plannedFor }
    const { plan, writes, slices, warnings, ...explained } = explainPlan(
      planned,
      parts,
      settings,
      this.#now(),
    )
    const { addressTypes, hints, endpoints } = explained
    const report = this.#report({ ...management, plannedFor }, this.#reported(slices))
    return {
      ...report,
      source: sourceOf(of.selection, of.service, key.cluster),
      warnings: [
        ...(plannedFor === settings.managedBy ? inTreeAtWork(this.#slices, plannedFor) : []),
        ...report.warnings,
        ...parts.filter(isUnread).map((part) => `${errorMessage(part.error)}: ${UNREAD}`),
        ...warnings,
      ],
      ...{ addressTypes, hints, endpoints },
      writes: namesOf(writes),
      problems: plan.skipped.filter(({ kind }) => kind !== 'Pod').map(describeSkipped),
    }
  }

  /** Reads the endpoints; returns why that cannot be done where no cluster that has them can be read. */
  async #read({
    service,
    selection,
  }: Pick<PlannedService, 'service' | 'selection'>): Promise<readonly EndpointPart[] | Management> {
    const { key, clusterOf, signal } = this.#options
    const clusters = selection.kind === 'managed' ? (selection.clusters ?? [key.cluster]) : [key.cluster]
    try {
      const reader = new EndpointReader({ cluster: key.cluster, clusterOf, signal })
      const parts = await reader.read({ service, selection, slices: this.#slices })
      const [first, ...others] = parts.filter(isUnread)
      if (first === undefined || others.length + 1 < parts.length) return parts
      return { state: 'Unread', reason: errorMessage(first.error) }
    } catch (error) {
      if (error instanceof UnknownClusterError) {
        const invalid = { kind: 'invalid', annotation: ANNOTATION_CLUSTER, problem: error.message } as const
        return { state: 'Invalid', reason: invalidReason(invalid) }
      }
      if (clusters.every((each) => each === key.cluster) || !(error instanceof KubernetesError)) throw error
      return { state: 'Unread', reason: error.message }
    }
  }

  /** Reports on a Service whose endpoints are not planned here: only its slices are described. */
  #withoutPlan(management: Management, leftovers = ALL_STAY): ServiceReport {
    return this.#withLeftovers(this.#report(management, []), leftovers)
  }

  /** Adds to the report what becomes of our slices of a Service that is not ours. */
  #withLeftovers(report: ServiceReport, { goes, warning }: Leftovers): ServiceReport {
    const { managedBy } = this.#common
    const slices = this.#slices.map((slice, index) => {
      const other = report.slices[index]
      if (other !== undefined && managerOf(slice) !== managedBy) return other
      return explainLeftover(slice, managedBy, goes(slice))
    })
    const deleted = slices.filter((slice) => slice.outcome === 'Delete' && slice.managedBy === managedBy)
    return {
      ...report,
      warnings: warning === undefined ? report.warnings : [...report.warnings, warning],
      slices,
      writes: { ...NO_WRITES, delete: deleted.map(({ name }) => name) },
    }
  }

  #report(management: Management, slices: readonly SliceReport[]): ServiceReport {
    return {
      ...this.#common,
      management,
      source: undefined,
      warnings: [...leftBehind(this.#slices, this.#common.managedBy), ...doubleManagement(this.#slices)],
      ...{ addressTypes: [], hints: [], endpoints: [], slices, writes: NO_WRITES, problems: [] },
    }
  }

  #reported(explained: readonly SliceExplanation[]): SliceReport[] {
    return explained.map((slice, index) => reportSlice(slice, this.#slices[index], this.#common.managedBy))
  }

  /** Says that slices of ours stay that nothing updates. */
  #leftovers(selection: Selection): Leftovers {
    const slices = this.#ours().filter((slice) => isLeftover({ isMirror: isMirror(slice) }, selection))
    return staying(slices, `nothing updates slices of ours that stay: ${DELETE_LEFTOVERS_ADVICE}`)
  }

  /**
   * Decides by the same steps as a reconcile which slices are given up.
   * @param mode undefined where another controller publishes the object, whatever the mode
   */
  #givenUp(service: Service, mode?: Mode): Leftovers {
    const slices = this.#ours()
    const handover = handoverOf({ service, slices, everybodys: this.#slices, mode }, this.#now())
    if (handover.kind === 'done') return { goes: isOurs }
    return { ...ALL_STAY, warning: handoverEvent(handover.since, slices, mode).message }
  }

  #ours(): EndpointSlice[] {
    return this.#slices.filter((slice) => managerOf(slice) === this.#common.managedBy && isOurs(slice))
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }
}

const staying = (slices: readonly EndpointSlice[], warning: string): Leftovers =>
  slices.length === 0 ? ALL_STAY : { ...ALL_STAY, warning }

const namesOf = (writes: Writes['writes']): ServiceReport['writes'] => {
  const names = (slices: readonly EndpointSlice[]) => slices.map(({ metadata }) => metadata?.name ?? '')
  return { create: names(writes.create), update: names(writes.update), delete: names(writes.delete) }
}

const claimedReason = (slices: readonly EndpointSlice[]): string =>
  `another controller publishes it: slices of ${[...new Set(slices.map(managerOf))].join(', ')} are its own`

const describeSkipped = ({ kind, namespace, name, message }: SkippedObject): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`} is left out: ${message}`
