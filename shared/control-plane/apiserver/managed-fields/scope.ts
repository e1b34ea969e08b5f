import type { FieldSet } from './fields/field-set.ts'

/** Path by which a write came: that of an object itself, or of one of its subresources. */
export interface WriteScope {
  /** True when the resource has a status that the main path leaves alone. */
  readonly hasStatus: boolean
  readonly subresource?: string
  /** True of a subresource of another kind, as a Scale: it changes places anywhere in the object. */
  readonly isOtherKind?: boolean
  /** True of a kind that a CustomResourceDefinition defines. */
  readonly isCustomResource?: boolean
  /** True where `/status` leaves the metadata alone as well. */
  readonly statusKeepsMetadata?: boolean
}

/** Metadata that belongs to the server and has no owner. */
const UNOWNED = new Set(
  [
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => `f:${name}`),
)

/**
 * Returns the fields that a write by this path can change; the others are reset before it is stored.
 * @param isOwnVersion false for fields of another version than the write's: for custom resources upstream
 *   looks only there for what is reset on the main path
 */
export function reachable(set: FieldSet, scope: WriteScope, isOwnVersion = true): FieldSet {
  const { hasStatus, subresource, isOtherKind, isCustomResource, statusKeepsMetadata } = scope
  if (isOtherKind || (isCustomResource && !isOwnVersion && !subresource)) return set
  const children = new Map(set.children)
  if (subresource) {
    const kept = new Set([`f:${subresource}`, ...(statusKeepsMetadata ? [] : ['f:metadata'])])
    for (const name of children.keys()) if (!kept.has(name)) children.delete(name)
  } else if (hasStatus) children.delete('f:status')
  return { member: false, children }
}

/** Returns the set without fields that have no owner. */
export function ownable(set: FieldSet): FieldSet {
  const children = new Map(set.children)
  children.delete('f:kind')
  children.delete('f:apiVersion')
  const metadata = children.get('f:metadata')
  if (metadata) {
    const kept = [...metadata.children].filter(([name]) => !UNOWNED.has(name))
    children.set('f:metadata', { member: false, children: new Map(kept) })
  }
  return { member: false, children }
}
