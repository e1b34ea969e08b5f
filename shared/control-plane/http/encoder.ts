import type { KubeObject } from '../objects.ts'
import type { Change } from '../storage/index.ts'

/** Objects and events as JSON texts, each made once for all who read it. */
export class Encoder {
  readonly #objects = new WeakMap<KubeObject, string>()
  readonly #events = new WeakMap<Change, Buffer>()

  object(object: KubeObject): string {
    const known = this.#objects.get(object)
    if (known !== undefined) return known
    const text = JSON.stringify(object)
    this.#objects.set(object, text)
    return text
  }

  /** The object without kind and apiVersion: as an item of a list, whose kind says it already. */
  item(object: KubeObject): string {
    const text = this.object(object)
    const start = text.indexOf(',"metadata":')
    return start < 0 ? text : `{${text.slice(start + 1)}`
  }

  /** One line of a watch for a change as it happened; one buffer for all watchers. */
  event(change: Change): Buffer {
    const known = this.#events.get(change)
    if (known !== undefined) return known
    const line = eventLine(change.type, this.object(change.object))
    this.#events.set(change, line)
    return line
  }
}

export function eventLine(type: string, object: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":${object}}\n`)
}
