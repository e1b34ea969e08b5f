import { portSetKey } from '../endpoints/ports.ts'
import { ownerOfKind } from '../find-owner.ts'
import { isBeingDeleted } from '../objects/timestamps.ts'
import { readable } from '../objects/validate.ts'
import type { SlicePlan } from '../slice-plan.ts'
import { hasHints, isReady } from '../topology-hints/endpoint-hints.ts'
import type { AddressType, EndpointSlice, Service } from '../types.ts'
import { ANNOTATION_TRIGGER_TIME } from '../well-known.ts'
import { endpointDifferences } from './endpoint-differences.ts'
import { lastWriteOf } from './last-write.ts'
import { managedByOf } from './slice-index.ts'
import { nameOf } from './slices-after.ts'
import { portText } from './text.ts'
import type { SliceDescription, SliceExplanation, SliceOutcome } from './types.ts'

interface SliceContext {
  readonly service: Service
  readonly addressTypes: readonly AddressType[]
  readonly plan: SlicePlan
  /** Our slices as they are planned. */
  readonly after: readonly EndpointSlice[]
  readonly managedBy: string
}

type PlanDescription = Pick<SliceExplanation, 'outcome' | 'reasons' | 'differences'>

/** Explains what becomes of a slice, and why. */
export function explainSlice(slice: EndpointSlice, context: SliceContext): SliceExplanation {
  return { ...describeSlice(slice), ...describePlan(slice, context) }
}

/**
 * Counts what is in a slice, without regard to any plan; nothing in one that is malformed.
 * @example
 * ```ts
 * const endpoints = [{ addresses: ['10.0.0.5'], conditions: { ready: true } }]
 * const metadata = { name: 'web-1', namespace: 'shop' }
 * describeSlice({ metadata, addressType: 'IPv4', endpoints }).ready // => 1
 * ```
 */
export function describeSlice(slice: EndpointSlice): SliceDescription {
  const common = { name: nameOf(slice), managedBy: managedByOf(slice), addressType: slice.addressType }
  const [good] = readable('EndpointSlice', [slice], [])
  if (good === undefined) return { ...common, ports: [], endpoints: 0, ready: 0, hinted: 0 }
  const { metadata, endpoints, ports } = good
  return {
    ...common,
    ports: (ports ?? []).map(portText),
    endpoints: endpoints?.length ?? 0,
    ready: (endpoints ?? []).filter(isReady).length,
    hinted: (endpoints ?? []).filter(hasHints).length,
    created: metadata.creationTimestamp,
    triggerTime: metadata.annotations?.[ANNOTATION_TRIGGER_TIME],
    lastWrite: lastWriteOf(good),
  }
}

function describePlan(slice: EndpointSlice, context: SliceContext): PlanDescription {
  const { plan, managedBy } = context
  const name = nameOf(slice)
  const malformed = plan.skipped.find((object) => object.kind === 'EndpointSlice' && object.name === name)
  if (malformed !== undefined) return outcome('Malformed', [malformed.message])
  if (managedByOf(slice) !== managedBy) return outcome('Foreign')
  if (isBeingDeleted(slice.metadata)) return outcome('BeingDeleted')
  if (plan.delete.some((other) => nameOf(other) === name))
    return outcome('Delete', [deletionReason(slice, context)])
  const update = plan.update.find((other) => nameOf(other) === name)
  if (update === undefined) return outcome('AsPlanned')
  return {
    outcome: 'Update',
    reasons: updateReasons(slice, update),
    differences: endpointDifferences([slice], [update]),
  }
}

const outcome = (word: SliceOutcome, reasons: readonly string[] = []): PlanDescription => ({
  outcome: word,
  reasons,
  differences: [],
})

function deletionReason(slice: EndpointSlice, { service, addressTypes, after }: SliceContext): string {
  if (!ownerOfKind(service.kind).owns(slice, service))
    return 'it belongs to an older Service of this name, or to none'
  const { addressType } = slice
  if (!addressTypes.some((type) => type === addressType))
    return `the Service is not published in ${addressType}`
  const key = portSetKey(slice.ports ?? [])
  const others = after.filter((other) => other.addressType === addressType)
  if (others.some(({ ports }) => portSetKey(ports ?? []) === key))
    return 'its endpoints are gone, or move to other slices'
  return 'no pod has its ports any more'
}

function portChange(ports: NonNullable<EndpointSlice['ports']>): string {
  if (ports.length > 0) return `its ports change to ${ports.map(portText).join(', ')}`
  return 'it has no ports any more: no target port of the Service matches a port of its Pods'
}

function updateReasons(before: EndpointSlice, after: EndpointSlice): string[] {
  const labels = changedKeys(before.metadata?.labels ?? {}, after.metadata?.labels ?? {})
  const isReplaced = portSetKey(before.ports ?? []) !== portSetKey(after.ports ?? [])
  return [
    ...(labels.length > 0 ? [`labels differ from the Service’s: ${labels.join(', ')}`] : []),
    ...(isReplaced ? [portChange(after.ports ?? [])] : []),
  ]
}

const changedKeys = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => a[key] !== b[key]).sort()
