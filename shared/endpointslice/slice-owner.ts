import type { EndpointSlice, ObjectMeta, OwnerReference } from './types.ts'
import { LABEL_SERVICE_NAME } from './well-known.ts'

/** Longest name of an EndpointSlice (a DNS subdomain, RFC 1123). */
export const MAX_NAME_LENGTH = 253
const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/

/** Identifies an object, by its uid and not by its name. */
type Owner = Pick<OwnerReference, 'apiVersion' | 'kind'> & { readonly uid: string | undefined }

/** Reports whether the slice refers to this very object as an owner. */
export const hasOwner = ({ metadata }: EndpointSlice, { apiVersion, kind, uid }: Owner): boolean =>
  (metadata?.ownerReferences ?? []).some(
    (owner) => owner.uid === uid && owner.kind === kind && owner.apiVersion === apiVersion,
  )

export interface SliceOwnerOptions {
  readonly apiVersion: string
  readonly kind: string
  /** Label of its slices that has its name. */
  readonly nameLabel: string
  /** Whether it is the controller of its slices, so that it is deleted after them on request. */
  readonly isController: boolean
}

/**
 * A kind of objects that slices belong to: how its slices name it, and how they are found. Whoever reads,
 * lists or writes slices asks an owner, so that another kind is one more of these.
 * @example
 * ```ts
 * const nameLabel = 'kubernetes.io/service-name'
 * const owner = new SliceOwner({ apiVersion: 'v1', kind: 'Service', nameLabel, isController: true })
 * owner.nameLabel // => 'kubernetes.io/service-name'
 * ```
 */
export class SliceOwner {
  readonly apiVersion: string
  readonly kind: string
  readonly nameLabel: string
  readonly #isController: boolean

  constructor({ apiVersion, kind, nameLabel, isController }: SliceOwnerOptions) {
    this.apiVersion = apiVersion
    this.kind = kind
    this.nameLabel = nameLabel
    this.#isController = isController
  }

  /** Fields by which an object of the kind says what it is, such as the object of an Event. */
  get typeMeta(): { readonly apiVersion: string; readonly kind: string } {
    return { apiVersion: this.apiVersion, kind: this.kind }
  }

  /** Returns the name of the owner by the slice's label; empty where there is none. */
  nameOf({ metadata }: Labelled): string {
    return metadata?.labels?.[this.nameLabel] ?? ''
  }

  /** Returns the label selector of the slices of one owner, or of all of this kind. */
  selector(name?: string): string {
    return name === undefined ? this.nameLabel : `${this.nameLabel}=${name}`
  }

  /** Makes the reference that its slices have to it. */
  referenceTo({ name = '', uid = '' }: ObjectMeta, apiVersion = this.apiVersion): OwnerReference {
    const asController = this.#isController
      ? { controller: true, blockOwnerDeletion: true }
      : { controller: false }
    return { apiVersion, kind: this.kind, name, uid, ...asController }
  }

  /** Reports whether the slice belongs to this very object, and not to an older one of the same name. */
  owns(slice: EndpointSlice, { uid }: ObjectMeta = {}): boolean {
    return hasOwner(slice, { ...this.typeMeta, uid })
  }

  /**
   * Reports whether an ownerReference names the object that the slice is labelled with.
   * @param kind of an object of the same name that may stand for it; default: this kind
   */
  isNamedBy(slice: EndpointSlice, kind = this.kind): boolean {
    return (slice.metadata?.ownerReferences ?? []).some(
      (owner) => owner.kind === kind && owner.name === this.nameOf(slice),
    )
  }

  /** Returns what the names of its slices begin with. */
  generateName(name: string): string {
    const withDash = `${name}-`
    return DNS_SUBDOMAIN.test(name) && withDash.length <= MAX_NAME_LENGTH ? withDash : name
  }
}

/** An object that may have labels. */
interface Labelled {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> | null | undefined } | undefined
}

/** The owner of a Service's slices. */
export const SERVICE_OWNER: SliceOwner = new SliceOwner({
  apiVersion: 'v1',
  kind: 'Service',
  nameLabel: LABEL_SERVICE_NAME,
  isController: true,
})
