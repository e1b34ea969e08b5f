import { isObject, type JsonObject, objectAt, stringAt } from '../json.ts'
import { type KubeObject, timestamp } from '../objects.ts'
import { canonical } from '../schema/index.ts'
import { compareObjects } from './compare.ts'
import {
  difference,
  emptySet,
  type FieldSet,
  fromFieldsV1,
  isEmptySet,
  toFieldsV1,
  union,
} from './field-set.ts'

/** Under which name a write is tracked. */
export interface Tracking {
  readonly manager: string
  readonly apiVersion: string
  /** Name of the Go struct; without one nothing is tracked. */
  readonly schema: string | undefined
  /** True when the resource has a status that the main path leaves alone. */
  readonly hasStatus: boolean
  readonly subresource?: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Metadata that belongs to the server and is never tracked. */
const UNTRACKED = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'generation',
  'managedFields',
  'resourceVersion',
]

/**
 * `metadata.managedFields` after a write that is no apply: the manager owns what it has added or changed, the others lose it, and what was
 * removed belongs to nobody. Objects whose entries were taken away stay without. Undefined when there are none.
 */
export function trackedManagers(
  submitted: KubeObject,
  stored: KubeObject | undefined,
  tracking: Tracking,
): JsonObject[] | undefined {
  const { schema, subresource } = tracking
  const sent = entriesOf(submitted)
  if (sent.length === 1 && Object.keys(sent[0] ?? {}).length === 0) return undefined
  const known = subresource || sent.length === 0 ? entriesOf(stored) : sent
  if (!schema || (stored && known.length === 0)) return known.length > 0 ? known : undefined
  const before = stored ?? canonical({ kind: submitted.kind, apiVersion: submitted.apiVersion }, schema)
  const { changed, removed } = compareObjects(before, submitted, schema)
  const mine = trackable(changed, tracking)
  const gone = trackable(removed, tracking)
  if (isEmptySet(mine) && isEmptySet(gone)) return known.length > 0 ? known : undefined
  return merged(known, mine, gone, tracking)
}

function merged(
  known: readonly JsonObject[],
  mine: FieldSet,
  gone: FieldSet,
  tracking: Tracking,
): JsonObject[] {
  const lost = union(mine, gone)
  const own = known.find((entry) => isOwn(entry, tracking))
  const others = known
    .filter((entry) => entry !== own)
    .map((entry) => withFields(entry, difference(fieldsOf(entry), lost)))
  const fields = union(difference(own ? fieldsOf(own) : emptySet(), gone), mine)
  const time = isEmptySet(mine) && own ? own.time : timestamp(tracking.now)
  const entries = [...others, withFields({ ...entryOf(tracking), time }, fields)]
  return entries.filter((entry) => !isEmptySet(fieldsOf(entry))).sort(byAge)
}

/** What of a comparison counts for the path that the write came by. */
function trackable(set: FieldSet, { hasStatus, subresource }: Tracking): FieldSet {
  const children = new Map(set.children)
  children.delete('f:kind')
  children.delete('f:apiVersion')
  for (const name of children.keys()) {
    if (subresource && name !== 'f:metadata' && name !== `f:${subresource}`) children.delete(name)
  }
  if (!subresource && hasStatus) children.delete('f:status')
  const metadata = children.get('f:metadata')
  if (metadata) {
    const kept = [...metadata.children].filter(([name]) => !UNTRACKED.includes(name.slice(2)))
    children.set('f:metadata', { member: false, children: new Map(kept) })
  }
  return { member: false, children }
}

function entriesOf(object: KubeObject | undefined): JsonObject[] {
  const entries = object?.metadata.managedFields
  return Array.isArray(entries) ? entries.filter(isObject) : []
}

function isOwn(entry: JsonObject, { manager, apiVersion, subresource = '' }: Tracking): boolean {
  return (
    entry.operation === 'Update' &&
    entry.manager === manager &&
    entry.apiVersion === apiVersion &&
    stringAt(entry, 'subresource') === subresource
  )
}

function entryOf({ manager, apiVersion, subresource }: Tracking): JsonObject {
  return {
    manager,
    operation: 'Update',
    apiVersion,
    fieldsType: 'FieldsV1',
    ...(subresource ? { subresource } : {}),
  }
}

function fieldsOf(entry: JsonObject): FieldSet {
  return entry.fieldsV1 === undefined ? emptySet() : withoutRoot(fromFieldsV1(objectAt(entry, 'fieldsV1')))
}

/** The object as a whole is never in a set. */
function withoutRoot(set: FieldSet): FieldSet {
  return { ...set, member: false }
}

function withFields(entry: JsonObject, fields: FieldSet): JsonObject {
  const fieldsV1 = toFieldsV1(fields)
  const { manager, operation, apiVersion, time, fieldsType, subresource } = entry
  return {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType,
    ...(Object.keys(fieldsV1).length > 0 ? { fieldsV1 } : {}),
    ...(subresource === undefined ? {} : { subresource }),
  }
}

/** Appliers before updaters, then the oldest first, then by name. */
function byAge(a: JsonObject, b: JsonObject): number {
  const key = (entry: JsonObject): string =>
    ['operation', 'time', 'manager', 'apiVersion', 'subresource']
      .map((member) => stringAt(entry, member))
      .join('\0')
  return key(a) < key(b) ? -1 : 1
}
