import type { SelectionMode } from '../../functions/demo/world/index.ts'
import type { SubjectKind } from './subject.ts'
import type { World } from './world.ts'

export interface Verdict {
  readonly survived: boolean
  /** A few words on what was seen, the same in form for every subject. */
  readonly observed: string
  /** How often a ready endpoint was lost, each of which its recording explains; of a subject that records. */
  readonly losses?: number
}

/** One fault or habit of clusters, told so that it can be done to any controller. */
export interface Scenario {
  /** Such as `restart-then-delete`; also names the namespace. */
  readonly id: string
  /** Who met it: threads of issue trackers, or what was measured. */
  readonly source: string
  /** What happens, and what must come of it. */
  readonly sentence: string
  /** Needs the subject for itself: it is killed, cut off or counted. Default false. */
  readonly alone?: boolean
  /** How Services name their pods, where the subject knows more than one way. Default replace. */
  readonly mode?: SelectionMode
  /** Why it is not played to a kind of subject that can do nothing of the sort, in a few words. */
  readonly cannot?: Readonly<Partial<Record<SubjectKind['id'], string>>>
  /** Flags that one kind of subject is started with for this. */
  readonly flags?: Readonly<Partial<Record<SubjectKind['id'], readonly string[]>>>
  /** Makes what is needed, with the subject at work, and waits until it is right. */
  prepare(world: World): Promise<void>
  /** The fault. */
  act(world: World): Promise<void>
  assess(world: World): Promise<Verdict>
  /** Ends what it has started beside the subject, however it went. */
  end?(world: World): Promise<void>
}
