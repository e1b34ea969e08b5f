/** Objects that other servers keep in a namespace, after they were asked to delete it. */
export interface ContentReport {
  /** Number of objects that are left, by resource, such as `databases.example.org`. */
  readonly remaining: ReadonlyMap<string, number>
  /** Number of them that have a finalizer, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
  /** Group-versions, as `example.org/v1`, whose server does not say what it has. */
  readonly undiscovered: readonly string[]
  /** Reasons why something could not be deleted. */
  readonly failures: readonly string[]
}

/** Content of namespaces that other servers keep, as those that APIServices delegate to. */
export interface ContentElsewhere {
  /** False while there are no other servers. */
  readonly exists: boolean
  /** Has everything in a namespace deleted; never rejects, and ends by itself. */
  empty(namespace: string): Promise<ContentReport>
}

export const NO_CONTENT: ContentReport = {
  remaining: new Map(),
  finalizers: new Map(),
  undiscovered: [],
  failures: [],
}
