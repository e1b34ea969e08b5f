/** A controller under test as a process that can be killed and started again, whatever it is made of. */
export interface Subject {
  readonly name: string
  /** Resolves when it says that it is ready. */
  start(): Promise<void>
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>
  /** Its metrics in Prometheus' text form. */
  metrics(): Promise<string>
}

/** How the subjects of the suite are made; each may be started and killed again and again. */
export interface SubjectKind {
  readonly id: 'kube-controller-manager' | 'sliceflow'
  readonly name: string
  /** @param flags further flags that a scenario asks this kind to be started with */
  create(flags: readonly string[]): Subject
}
