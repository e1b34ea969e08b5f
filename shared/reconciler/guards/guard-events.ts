import { ANNOTATION_MAXIMUM_REMOVAL, ANNOTATION_PAUSED, type PausedSelection } from '../../changes/index.ts'
import { type EndpointSlice, isMirror, type Service, type SkippedObject } from '../../endpointslice/index.ts'
import type { Mode, Settings } from '../../settings/index.ts'
import type { ServiceEvent } from '../service-events.ts'
import { type Fight, otherSliceflow } from './fights/index.ts'
import type { Hold } from './held-plan.ts'
import { type InTreeManager, isInTreeManager, type SecondController } from './second-controller.ts'

// Equal words are one Event: nothing that differs from sync to sync stands in them.

/** @param release command that ends a hold */
export function holdEvent(
  hold: Hold,
  { heldPlanExpiry, maximumEndpoints }: Pick<Settings, 'heldPlanExpiry' | 'maximumEndpoints'>,
  release = 'sliceflow release',
): ServiceEvent | undefined {
  if (hold.kind === 'none') return undefined
  if (hold.kind === 'oversized') {
    const message = `the Service would have more than ${maximumEndpoints} endpoints (setting maximumEndpoints): nothing is written, and what is published stays, until it selects fewer`
    return { type: 'Warning', reason: 'TooManyEndpoints', message }
  }
  if (hold.kind === 'released') {
    const why = hold.by === 'command' ? 'it was released' : 'it was held for as long as heldPlanExpiry says'
    const message = `applied the plan that removes more ready endpoints than ${limitOf(hold)} allows: ${why}`
    return { type: 'Normal', reason: 'PlanReleased', message }
  }
  const expiry = heldPlanExpiry === 0 ? '' : `, or after ${heldPlanExpiry} s`
  const message = `the plan would remove more ready endpoints than ${limitOf(hold)} allows: held since ${hold.since} until \`${release}\`${expiry}; the slices stay as they are`
  return { type: 'Warning', reason: 'PlanHeld', message }
}

const limitOf = ({ isOverridden }: { readonly isOverridden?: true }): string =>
  isOverridden ? `the annotation ${ANNOTATION_MAXIMUM_REMOVAL}` : 'maximumRemoval'

/** Says that nothing is written for a Service, since when, and what ends that. */
export const pausedReason = (
  { metadata: { namespace, name } = {} }: Pick<Service, 'metadata'>,
  { since }: Pick<PausedSelection, 'since'>,
): string =>
  `it is paused${since === undefined ? '' : ` since ${since}`}: nothing is written, and what is published stays, until \`kubectl annotate service --namespace ${namespace} ${name} ${ANNOTATION_PAUSED}-\``

export const pausedEvent = (service: Pick<Service, 'metadata'>, paused: PausedSelection): ServiceEvent => ({
  type: 'Normal',
  reason: 'Paused',
  message: pausedReason(service, paused),
})

/** @param since of the hold */
export function handoverEvent(since: string, slices: readonly EndpointSlice[], mode: Mode): ServiceEvent {
  const [cause, remedy] = slices.some(isMirror)
    ? [
        'the slices mirror Endpoints, which Sliceflow does not do without the setting mirrorEndpoints',
        'the setting was left out by mistake, set it again',
      ]
    : [
        `mode ${mode} would delete the slices, which mode ${mode === 'custom' ? 'replace' : 'custom'} would keep`,
        'the mode is a mistake, set it back',
      ]
  const message = `${cause}, and nobody else publishes their endpoints: held since ${since} until \`sliceflow release\`, or until others publish them; if ${remedy}`
  return { type: 'Warning', reason: 'PlanHeld', message }
}

export function fightEvent({ kind, opponent, slices }: Fight): ServiceEvent {
  if (kind === 'writers') {
    const message = `${otherSliceflow(opponent)} keeps writing the EndpointSlices of this Service otherwise: they are written only at growing intervals; stop one of the two, or give both the same settings, cluster sets and ids`
    return { type: 'Warning', reason: 'SliceFight', message }
  }
  const message =
    kind === 'deletions'
      ? `${opponent ?? 'somebody'} keeps deleting the EndpointSlices of this Service, or their annotations: they are repaired only after 30 s; the audit log of the API server shows who`
      : `${opponent ?? 'a writer that managedFields do not name, such as a mutating webhook,'} keeps changing EndpointSlice ${slices.join(', ')}: it is repaired only at growing intervals; let one of the two manage it`
  return { type: 'Warning', reason: 'SliceFight', message }
}

export function secondControllerEvent(second: SecondController): ServiceEvent {
  const message = `${second.manager} writes the EndpointSlices of this Service, too: ${secondControllerAdvice(second)}`
  return { type: 'Warning', reason: 'SecondController', message }
}

/** Flags that turn a controller of kube-controller-manager off, by who embeds it. */
const TURNED_OFF: Readonly<Record<InTreeManager, (controller: string) => string>> = {
  'kube-controller-manager': (controller) =>
    `start kube-controller-manager with --controllers=*,-${controller}`,
  k3s: (controller) =>
    `start k3s server with --kube-controller-manager-arg=controllers=*,tokencleaner,-${controller}`,
  kubelite: (controller) =>
    `add --controllers=*,-${controller} to MicroK8s’ args/kube-controller-manager, and restart it`,
}

/** Says how only one controller goes on writing the slices, as a clause. */
export function secondControllerAdvice({
  manager,
  isMirror,
}: Pick<SecondController, 'manager' | 'isMirror'>): string {
  const controller = isMirror ? 'endpointslice-mirroring-controller' : 'endpointslice-controller'
  return isInTreeManager(manager)
    ? `turn its ${controller} off (${TURNED_OFF[manager](controller)}), or give Sliceflow another --managed-by value`
    : 'stop it, or give Sliceflow another --managed-by value'
}

export function refusedAddressesEvent(skipped: readonly SkippedObject[]): ServiceEvent | undefined {
  const [first] = skipped
    .filter(({ reason }) => reason === 'RefusedAddress')
    .map(({ kind, namespace, name, message }) => `${kind} ${namespace}/${name}: ${message}`)
    .sort()
  if (first === undefined) return undefined
  const message = `addresses are left out of the slices, among them that of ${first}; see the settings refusedAddresses and allowedNetworks`
  return { type: 'Warning', reason: 'RefusedAddress', message }
}

export interface UnreachableCluster
  extends Pick<Settings, 'unreachableCluster' | 'unreachableClusterExpiry'> {
  readonly cluster: string
  readonly isDropped: boolean
}

export function unreachableEvent(options: UnreachableCluster): ServiceEvent {
  const { cluster, isDropped, unreachableCluster, unreachableClusterExpiry } = options
  const expires = `they are removed after ${unreachableClusterExpiry} s without a read of its pods`
  const cache =
    unreachableCluster === 'expire'
      ? `its endpoints stay for now, ${expires}`
      : 'its endpoints stay as they are'
  const outcome = isDropped ? 'its endpoints are removed until it can' : cache
  const message = `the pods in cluster ${cluster} cannot be read: ${outcome}`
  return { type: 'Warning', reason: 'ClusterUnreachable', message }
}
