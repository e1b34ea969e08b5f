import type { EndpointSlice, ObjectMeta, OwnerReference } from './types.ts'
import { LABEL_HEADLESS, LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from './well-known.ts'

/** Longest name of an EndpointSlice (a DNS subdomain, RFC 1123). */
export const MAX_NAME_LENGTH = 253
const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/

/** Identifies an object, by its uid and not by its name. */
type Owner = Pick<OwnerReference, 'apiVersion' | 'kind'> & { readonly uid: string | undefined }

/** Reports whether the slice refers to this very object as an owner. */
export const hasOwner = ({ metadata }: Owned, { apiVersion, kind, uid }: Owner): boolean =>
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
  /** Label that its slices never have. Default: none. */
  readonly absentLabel?: string
  /** What a plan makes of its objects otherwise than of a Service. Default: nothing. */
  readonly rules?: Partial<OwnerRules>
}

/** What a plan does for the objects of a kind. Ports, families and conditions are in the objects' form. */
export interface OwnerRules {
  /** Whether endpoints have the hostnames of Pods whose subdomain is its name. */
  readonly publishesHostnames: boolean
  /** Whether an address type without endpoints has a slice, which shows that the object was processed. */
  readonly keepsPlaceholder: boolean
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
  /** Labels that its slices have by rule; an object's own of these names are not copied to them. */
  readonly reservedLabels: ReadonlySet<string>
  readonly rules: OwnerRules
  readonly #isController: boolean
  readonly #absentLabel: string | undefined

  constructor({ apiVersion, kind, nameLabel, isController, absentLabel, rules }: SliceOwnerOptions) {
    this.apiVersion = apiVersion
    this.kind = kind
    this.nameLabel = nameLabel
    const absent = absentLabel === undefined ? [] : [absentLabel]
    this.reservedLabels = new Set([nameLabel, LABEL_MANAGED_BY, LABEL_HEADLESS, ...absent])
    this.rules = { publishesHostnames: true, keepsPlaceholder: true, ...rules }
    this.#isController = isController
    this.#absentLabel = absentLabel
  }

  /** Fields by which an object of the kind says what it is, such as the object of an Event. */
  get typeMeta(): { readonly apiVersion: string; readonly kind: string } {
    return { apiVersion: this.apiVersion, kind: this.kind }
  }

  /** Returns the name of the owner by the slice's label; empty where it is of no owner of this kind. */
  nameOf({ metadata }: Labelled): string {
    const labels = metadata?.labels ?? {}
    if (this.#absentLabel !== undefined && labels[this.#absentLabel] !== undefined) return ''
    return labels[this.nameLabel] ?? ''
  }

  /** Returns the label selector of the slices of one owner, or of all of this kind. */
  selector(name?: string): string {
    const named = name === undefined ? this.nameLabel : `${this.nameLabel}=${name}`
    return this.#absentLabel === undefined ? named : `${named},!${this.#absentLabel}`
  }

  /** Makes the reference that its slices have to it. */
  referenceTo({ name = '', uid = '' }: ObjectMeta, apiVersion = this.apiVersion): OwnerReference {
    const asController = this.#isController
      ? { controller: true, blockOwnerDeletion: true }
      : { controller: false }
    return { apiVersion, kind: this.kind, name, uid, ...asController }
  }

  /** Reports whether the slice belongs to this very object, and not to an older one of the same name. */
  owns(slice: Owned, object: OwnerObject): boolean {
    return hasOwner(slice, {
      apiVersion: this.#versionOf(object),
      kind: this.kind,
      uid: object.metadata?.uid,
    })
  }

  /**
   * Reports whether the slice belongs to the object of the same kind and name in another API, such as that of
   * a draft: it is given to this object as it stands, as a new slice beside it would publish Pods twice. A
   * Service has no other API.
   */
  takesOver(slice: Owned, object: OwnerObject): boolean {
    return (
      this !== SERVICE_OWNER &&
      !this.owns(slice, object) &&
      (slice.metadata?.ownerReferences ?? []).some((owner) => this.#isOfOtherApi(owner, object))
    )
  }

  /** Returns the owners of a slice that is given to the object; see {@link takesOver}. */
  ownersAfter(owners: readonly OwnerReference[], object: OwnerObject): OwnerReference[] {
    const others = owners.filter((owner) => !this.#isOfOtherApi(owner, object))
    return [...others, this.referenceToObject(object)]
  }

  #isOfOtherApi({ kind, name, apiVersion }: OwnerReference, object: OwnerObject): boolean {
    return kind === this.kind && name === object.metadata?.name && apiVersion !== this.#versionOf(object)
  }

  /** Makes the reference that the slices of an object have to it. */
  referenceToObject(object: OwnerObject): OwnerReference {
    return this.referenceTo(object.metadata ?? {}, this.#versionOf(object))
  }

  /** A Service has one version; another kind may be served in several, or in the group of its forerunner. */
  #versionOf({ apiVersion }: OwnerObject): string {
    return this === SERVICE_OWNER ? this.apiVersion : (apiVersion ?? this.apiVersion)
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

/** A slice, as far as it says who owns it. */
type Owned = Pick<EndpointSlice, 'metadata'>

/** An object that owns slices. */
interface OwnerObject {
  readonly apiVersion?: string | undefined
  readonly metadata?: ObjectMeta | undefined
}

/** An object that may have labels. */
export interface Labelled {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> | null | undefined } | undefined
}

/** The owner of a Service's slices. */
export const SERVICE_OWNER: SliceOwner = new SliceOwner({
  apiVersion: 'v1',
  kind: 'Service',
  nameLabel: LABEL_SERVICE_NAME,
  isController: true,
})
