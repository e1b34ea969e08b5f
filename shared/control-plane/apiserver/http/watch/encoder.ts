import { type JsonObject, parseJson } from '../../../apimachinery/json/exact-numbers.ts'
import { encodeEvent } from '../../../apimachinery/protobuf/envelope.ts'
import type { Change } from '../../storage/change.ts'
import type { ObjectRecord } from '../../storage/stored-object.ts'
import type { Format } from '../media-types.ts'

/** Events as watches send them, each encoded once for all watches that send it at the same time. */
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

/** Returns an object as a list's item: without kind and apiVersion, which the list's kind implies. */
export function itemOf({ json }: ObjectRecord): string {
  const start = json.indexOf(',"metadata":')
  return start < 0 ? json : `{${json.slice(start + 1)}`
}

/** Encodes one event of a watch as JSON or protobuf. */
export function eventIn(format: Format, type: string, object: string): Buffer {
  return format === 'protobuf' ? encodeEvent(type, parseJson<JsonObject>(object)) : eventLine(type, object)
}

function eventLine(type: string, object: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":${object}}\n`)
}
