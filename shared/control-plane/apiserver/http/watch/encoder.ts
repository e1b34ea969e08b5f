import type { JsonObject } from '../../../apimachinery/json/index.ts'
import { parseJson } from '../../../apimachinery/json/index.ts'
import { encodeEvent } from '../../../apimachinery/protobuf/index.ts'
import type { Change, ObjectRecord } from '../../storage/index.ts'
import type { Format } from '../media-types.ts'

/** Events as watches send them, each made once for all who are told of it at the same time. */
export class EventEncoder {
  readonly #lines = new WeakMap<Change, WeakRef<Buffer>>()
  readonly #frames = new WeakMap<Change, WeakRef<Buffer>>()

  event(change: Change, format: Format): Buffer {
    const made = format === 'protobuf' ? this.#frames : this.#lines
    const known = made.get(change)?.deref()
    if (known !== undefined) return known
    const event = eventIn(format, change.type, change.json)
    made.set(change, new WeakRef(event))
    return event
  }
}

/**
 * An object as an item of a list, whose kind says already what the object is: without kind and apiVersion.
 */
export function itemOf({ json }: ObjectRecord): string {
  const start = json.indexOf(',"metadata":')
  return start < 0 ? json : `{${json.slice(start + 1)}`
}

/** One event of a watch as JSON or protobuf has it. */
export function eventIn(format: Format, type: string, object: string): Buffer {
  return format === 'protobuf' ? encodeEvent(type, parseJson<JsonObject>(object)) : eventLine(type, object)
}

function eventLine(type: string, object: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":${object}}\n`)
}
