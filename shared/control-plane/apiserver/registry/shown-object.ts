import { jsonText } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Change } from '../storage/change.ts'
import type { ObjectRecord } from '../storage/stored-object.ts'

/** An object that is shown otherwise than it is stored. */
export class ShownObject implements ObjectRecord {
  readonly key: string
  readonly object: KubeObject

  constructor(key: string, object: KubeObject) {
    this.key = key
    this.object = object
  }

  get json(): string {
    return jsonText(this.object)
  }
}

/** Returns a change of an object that is shown in another form than it is stored. */
export function shownChange(
  { revision, resource, key, type }: Change,
  object: KubeObject,
  previous: KubeObject | undefined,
): Change {
  return {
    revision,
    resource,
    key,
    type,
    object,
    previous,
    get json() {
      return jsonText(object)
    },
  }
}
