import type { KubeObject } from '../objects.ts'
import type { PastChange } from './backend.ts'
import type { Change } from './history.ts'

/** A change of an earlier process: few of them are ever looked at, so they are read when that happens. */
export function lazyChange({ revision, resource, key, type, json, previous }: PastChange): Change {
  let object: KubeObject | undefined
  let before: KubeObject | undefined
  return {
    revision,
    resource,
    key,
    type,
    get object() {
      object ??= JSON.parse(json) as KubeObject
      return object
    },
    get previous() {
      if (previous !== undefined) before ??= JSON.parse(previous) as KubeObject
      return before
    },
  }
}
