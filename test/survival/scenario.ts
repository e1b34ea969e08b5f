import type { SelectionMode } from '../support/world/index.ts'
import type { SubjectKind } from './subject.ts'
import type { World } from './world.ts'

export interface Verdict {
  readonly survived: boolean
  /** A few words on what was seen, the same in form for every subject. */
  readonly observed: string
  /**
   * Number of times that a ready endpoint was lost, for a subject that records. The recording explains each
   * of them.
   */
  readonly losses?: number
}

/** One fault or habit of clusters, in a form that applies to any controller. */
export interface Scenario {
  /** Name such as `restart-then-delete`; also names the namespace. */
  readonly id: string
  /** Source of the scenario: threads of issue trackers, or a measurement. */
  readonly source: string
  /** Sentence that says what happens, and what must come of it. */
  readonly sentence: string
  /** Needs the subject for itself: it is killed, cut off or counted. Default false. */
  readonly alone?: boolean
  /** Way in which Services name their pods, if the subject knows more than one. Default replace. */
  readonly mode?: SelectionMode
  /** Reason, in a few words, not to play it to a kind of subject that can do nothing of the sort. */
  readonly cannot?: Readonly<Partial<Record<SubjectKind['id'], string>>>
  /** Flags that one kind of subject is started with for this. */
  readonly flags?: Readonly<Partial<Record<SubjectKind['id'], readonly string[]>>>
  /** Makes what is needed, with the subject at work, and waits until it is right. */
  prepare(world: World): Promise<void>
  /** Causes the fault. */
  act(world: World): Promise<void>
  assess(world: World): Promise<Verdict>
  /** Ends what it has started beside the subject, however it went. */
  end?(world: World): Promise<void>
}
