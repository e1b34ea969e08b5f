import { ownerOfKind } from '../find-owner.ts'
import { isHeadless } from '../objects/address-types.ts'
import { copyJson } from '../objects/copy.ts'
import type { Named } from '../objects/validate.ts'
import type { PlanSettings } from '../options.ts'
import { hasOwner, type SliceOwner } from '../slice-owner.ts'
import type { EndpointSlice, ObjectMeta, OwnerReference, Service } from '../types.ts'
import { ANNOTATION_TRIGGER_TIME, LABEL_HEADLESS, LABEL_MANAGED_BY } from '../well-known.ts'

type Labels = Readonly<Record<string, string>>

/** Metadata that all slices of one Service have in common. */
export class SliceMetadata {
  /** The Service's labels and the reserved ones. */
  readonly labels: Labels
  readonly generateName: string
  readonly #namespace: string
  readonly #owner: OwnerReference
  /** Whether slices of an object of the same name in another API are taken over. */
  readonly #takesOver: (slice: Pick<EndpointSlice, 'metadata'>) => boolean
  readonly #ownersAfter: (owners: readonly OwnerReference[]) => OwnerReference[]
  readonly #triggerTime: string | undefined
  readonly #compared: (labels: Labels | null | undefined) => Labels
  readonly #comparedOfPlaceholder: (labels: Labels | null | undefined) => Labels

  constructor(service: Named<Service>, settings: PlanSettings) {
    const { managedBy, triggerTime, comparedLabels } = settings
    const { name, namespace = '', labels = {} } = service.metadata
    const owner = ownerOfKind(service.kind)
    const withoutReserved = (own: Labels | null | undefined): Labels => withoutLabels(own, owner)
    this.#compared = comparedLabels === 'all' ? allLabels : withoutReserved
    this.#comparedOfPlaceholder = comparedLabels === 'all' ? allLabels : withoutEmpty
    this.labels = {
      ...withoutReserved(labels),
      ...settings.labels,
      ...(isHeadless(service) ? { [LABEL_HEADLESS]: '' } : undefined),
      [owner.nameLabel]: name,
      [LABEL_MANAGED_BY]: managedBy,
    }
    this.generateName = owner.generateName(name)
    this.#namespace = namespace
    this.#owner = settings.owner ?? owner.referenceToObject(service)
    this.#takesOver = (slice) => settings.owner === undefined && owner.takesOver(slice, service)
    this.#ownersAfter = (owners) => owner.ownersAfter(owners, service)
    this.#triggerTime = triggerTime
  }

  /** Reports whether the slice belongs to the owner of new ones, or is taken over by it. */
  owns(slice: EndpointSlice): boolean {
    return hasOwner(slice, this.#owner) || this.#takesOver(slice)
  }

  /** Reports whether the labels or the owner of the slice are to be brought up to date. */
  isOutdated(slice: EndpointSlice): boolean {
    return this.labelsDiffer(slice) || this.#takesOver(slice)
  }

  /** Reports whether a label of the slice that is compared differs from that of a new one. */
  labelsDiffer(slice: EndpointSlice): boolean {
    return !sameLabels(this.#compared(slice.metadata?.labels), this.#compared(this.labels))
  }

  /** Reports whether the slice has a new one's labels. As upstream, an absent label equals an empty one. */
  hasLabelsOfNew(slice: EndpointSlice): boolean {
    const { labels, namespace } = slice.metadata ?? {}
    const compared = this.#comparedOfPlaceholder
    return namespace === this.#namespace && sameLabels(compared(labels), compared(this.labels))
  }

  /** Makes metadata for a slice that does not exist yet; without a name. */
  forNew(): ObjectMeta {
    return {
      generateName: this.generateName,
      namespace: this.#namespace,
      labels: { ...this.labels },
      ...this.#annotations({}),
      ownerReferences: [{ ...this.#owner }],
    }
  }

  /** Makes metadata for a slice that takes the name and identity of another, and nothing else of it. */
  forReplacement({ name, uid, resourceVersion }: ObjectMeta): ObjectMeta {
    return { ...this.forNew(), name, uid, resourceVersion }
  }

  /** Makes a slice's next metadata; `labels` are given if they and the owner are to be brought up to date. */
  forUpdate(metadata: ObjectMeta, labels: Labels | undefined): ObjectMeta {
    const { annotations, ...rest } = copyJson(metadata)
    const updated: ObjectMeta = { ...rest, ...this.#annotations(annotations ?? {}) }
    if (labels === undefined) return updated
    updated.labels = { ...labels }
    const isTakenOver = this.#takesOver({ metadata })
    if (isTakenOver) updated.ownerReferences = this.#ownersAfter(metadata.ownerReferences ?? [])
    return updated
  }

  #annotations(present: Record<string, string>): { annotations?: Record<string, string> } {
    const annotations = { ...present }
    delete annotations[ANNOTATION_TRIGGER_TIME]
    if (this.#triggerTime !== undefined) annotations[ANNOTATION_TRIGGER_TIME] = this.#triggerTime
    return Object.keys(annotations).length === 0 ? {} : { annotations }
  }
}

const allLabels = (labels: Labels | null | undefined): Labels => labels ?? {}

function withoutLabels(labels: Labels | null | undefined, { reservedLabels }: SliceOwner): Labels {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([key]) => !reservedLabels.has(key)))
}

function withoutEmpty(labels: Labels | null | undefined): Labels {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([, value]) => value !== ''))
}

function sameLabels(a: Labels, b: Labels): boolean {
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  )
}
