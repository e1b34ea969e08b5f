import { isSealed, wasWrittenAs } from '../../changes/index.ts'
import { type EndpointSlice, isMirror, lastWriteOf, writtenAt } from '../../endpointslice/index.ts'
import { FIELD_MANAGER } from '../../kubernetes/index.ts'
import type { Changes } from '../slice-changes.ts'
import { isAlive, nameOf } from './published/slice-annotations.ts'

/**
 * Another controller that writes slices with our managed-by value. As long as both publish the same, neither
 * undoes what the other does, so that there is no fight.
 */
export interface SecondController {
  /** Its field manager. */
  readonly manager: string
  /** Slice that it wrote last. */
  readonly slice: string
  readonly isMirror: boolean
  /** Milliseconds since the epoch. */
  readonly writtenAt: number
}

/** The last writes of a slice. */
export interface SliceWriters {
  /** Time of our own, in milliseconds since the epoch; 0 for none. */
  readonly ours: number
  /** Absent where no other writer is known, or only what is no sign of a controller. */
  readonly other: SecondController | undefined
}

export interface WritersOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Time from which on writes of others count, such as the start of the process; default: any time. */
  readonly since?: number | undefined
  /** What is to be written; default: nothing. */
  readonly planned?: Pick<Changes, 'create' | 'update'>
}

/**
 * Field managers of kube-controller-manager: the program of its own, k3s and MicroK8s' kubelite, which embed
 * it; with the flags that turn one of its controllers off.
 */
export const IN_TREE_MANAGERS: ReadonlyMap<string, (controller: string) => string> = new Map([
  [
    'kube-controller-manager',
    (controller) => `start kube-controller-manager with --controllers=*,-${controller}`,
  ],
  [
    'k3s',
    (controller) =>
      `start k3s server with --kube-controller-manager-arg=controllers=*,tokencleaner,-${controller}`,
  ],
  [
    'kubelite',
    (controller) =>
      `add --controllers=*,-${controller} to MicroK8s’ args/kube-controller-manager, and restart it`,
  ],
])

/** People, whose edits are repaired, and who may annotate what they like. */
const PERSON = /^kubectl/

/**
 * Older writes do not count, in milliseconds: a controller that is at work writes at the next change, and one
 * that was turned off leaves its name on what it wrote.
 */
export const SECOND_CONTROLLER_MS = 10 * 60_000

/**
 * Finds out who wrote a slice, and when. A write of another counts if
 * 1. it is recent, and not before `since`: what was written before a takeover is no sign of a controller at
 *    work;
 * 2. it is of no person;
 * 3. and, unless it is kube-controller-manager's, it has changed what the seal covers, to something else than
 *    what is put back now. An edit that is repaired is none of a controller's, nor is an annotation.
 */
export function writersOf(slice: EndpointSlice, { now, since = 0, planned }: WritersOptions): SliceWriters {
  const own = lastWriteOf(slice, (manager) => manager === FIELD_MANAGER)
  const ours = own === undefined ? 0 : writtenAt(own)
  const last = lastWriteOf(slice, (manager) => manager !== FIELD_MANAGER && !PERSON.test(manager))
  if (last === undefined || !isAlive(slice)) return { ours, other: undefined }
  const time = writtenAt(last)
  const isRecent = time > Math.max(since, ours) && Math.abs(now - time) < SECOND_CONTROLLER_MS
  if (!isRecent || !(IN_TREE_MANAGERS.has(last.manager) || isRewritten(slice, planned)))
    return { ours, other: undefined }
  const { manager } = last
  return { ours, other: { manager, slice: nameOf(slice), isMirror: isMirror(slice), writtenAt: time } }
}

function isRewritten(slice: EndpointSlice, planned: WritersOptions['planned']): boolean {
  if (isSealed(slice)) return false
  return ![...(planned?.update ?? []), ...(planned?.create ?? [])].some((write) => wasWrittenAs(slice, write))
}

/** Returns the last other writer of a Service's slices, if he wrote later than we did any of them. */
export function secondControllerAmong(writers: readonly SliceWriters[]): SecondController | undefined {
  const ours = Math.max(0, ...writers.map((each) => each.ours))
  const others = writers.flatMap(({ other }) =>
    other !== undefined && other.writtenAt > ours ? [other] : [],
  )
  return others.reduce<SecondController | undefined>(
    (last, other) => (last !== undefined && last.writtenAt >= other.writtenAt ? last : other),
    undefined,
  )
}
