import type { TestNamespaceOptions } from '../support/test-namespace.ts'
import type { SelectionMode } from '../support/world/index.ts'

/** A controller under test as a process that can be killed and started again, whatever it is made of. */
export interface Subject {
  readonly name: string
  /**
   * Resolves when it says that it is ready.
   * @param flags for this start alone, beside its own
   */
  start(flags?: readonly string[]): Promise<void>
  /** Sends SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>
  /** Returns its metrics in Prometheus' text form. */
  metrics(): Promise<string>
  /** Returns what it has logged since its last start, where it logs to its standard error. */
  log?(): string
  /** The file that it records to, where it can. */
  readonly recording?: string
}

/** Way in which Services name their pods, and the managed-by value of their slices. */
export type Management = Pick<TestNamespaceOptions, 'mode' | 'managedBy'>

/** Kind of subject of the suite. Each subject may be started and killed again and again. */
export interface SubjectKind {
  readonly id: 'kube-controller-manager' | 'sliceflow'
  readonly name: string
  /** Returns how it manages Services if a scenario asks for this mode. */
  management(mode: SelectionMode): Management
  /** @param flags further flags that a scenario asks this kind to be started with */
  create(management: Management, flags: readonly string[]): Subject
}
