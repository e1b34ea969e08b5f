import type { KubeObject } from '../../apimachinery/objects.ts'
import type { StoredObject } from './stored-object.ts'

/** One write, as watchers see it. A deletion has the last `object`, with the deletion's resourceVersion. */
export interface Change {
  readonly revision: number
  readonly resource: string
  readonly key: string
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: KubeObject
  readonly previous: KubeObject | undefined
  /** JSON of `object`. */
  readonly json: string
}

/** A change as it is stored. Few are ever read, so that an object is parsed only then. */
export class RecordedChange implements Change {
  readonly revision: number
  readonly resource: string
  readonly type: Change['type']
  readonly after: StoredObject
  readonly before: StoredObject | undefined

  constructor(
    { revision, resource, type }: Pick<Change, 'revision' | 'resource' | 'type'>,
    after: StoredObject,
    before: StoredObject | undefined,
  ) {
    this.revision = revision
    this.resource = resource
    this.type = type
    this.after = after
    this.before = before
  }

  get key(): string {
    return this.after.key
  }

  get json(): string {
    return this.after.json
  }

  get object(): KubeObject {
    return this.after.object
  }

  get previous(): KubeObject | undefined {
    return this.before?.object
  }
}
