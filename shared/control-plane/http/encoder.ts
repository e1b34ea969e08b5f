import type { KubeObject } from '../objects.ts'
import { encodeEvent } from '../protobuf/index.ts'
import type { Change } from '../storage/index.ts'
import type { Format } from './media-types.ts'

/** Objects and events as JSON texts, each made once for all who read it. */
export class Encoder {
  readonly #objects = new WeakMap<KubeObject, string>()
  readonly #events = new WeakMap<Change, Buffer>()
  readonly #frames = new WeakMap<Change, Buffer>()

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

  /** What a watch sends for a change as it happened; one buffer for all watchers of a format. */
  event(change: Change, format: Format): Buffer {
    const made = format === 'protobuf' ? this.#frames : this.#events
    const known = made.get(change)
    if (known !== undefined) return known
    const event = eventIn(format, change.type, this.object(change.object))
    made.set(change, event)
    return event
  }
}

/** One event of a watch as JSON or protobuf has it. */
export function eventIn(format: Format, type: string, object: string): Buffer {
  return format === 'protobuf' ? encodeEvent(type, JSON.parse(object)) : eventLine(type, object)
}

function eventLine(type: string, object: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":${object}}\n`)
}
