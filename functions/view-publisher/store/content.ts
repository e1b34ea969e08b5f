import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { ViewEvent, ViewObject } from '../../../shared/views/index.ts'
import type { Publication } from './publication-store.ts'

type Content = Omit<Publication, 'version'>

/** A pending event refers to an object that is among the views by its index there. */
type PendingEntry =
  | readonly [type: 'Added', place: number]
  | readonly [type: 'Updated', place: number, old: ViewObject]
  | readonly [type: 'Deleted', old: ViewObject]

interface StoredContent {
  readonly views: readonly ViewObject[]
  readonly pending: readonly PendingEntry[]
}

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Encodes content as compressed JSON: 10,000 view objects of the example, 2.4 MB, become 0.1 MB. */
export function encodeContent({ views, pending }: Content): Promise<Buffer> {
  const places = new Map(views.map((object, place) => [object, place]))
  const placeOf = (object: ViewObject): number => {
    const place = places.get(object)
    if (place === undefined) throw new TypeError('a pending event must name an object of the views')
    return place
  }
  const entries = pending.map((event): PendingEntry => {
    if (event.type === 'Deleted') return ['Deleted', event.object]
    if (event.type === 'Added') return ['Added', placeOf(event.object)]
    return ['Updated', placeOf(event.object), event.old]
  })
  return compress(JSON.stringify({ views, pending: entries } satisfies StoredContent))
}

export async function decodeContent(content: Uint8Array): Promise<Content> {
  const text = (await decompress(content)).toString('utf8')
  const { views, pending } = JSON.parse(text) as StoredContent
  if (!Array.isArray(views)) throw new TypeError('the stored publication has another form')
  const at = (place: number): ViewObject => {
    const object = views[place]
    if (object === undefined) throw new TypeError(`the stored publication has no view object ${place}`)
    return object
  }
  const events = pending.map((entry): ViewEvent => {
    if (entry[0] === 'Added') return { type: 'Added', object: at(entry[1]) }
    if (entry[0] === 'Updated') return { type: 'Updated', object: at(entry[1]), old: entry[2] }
    return { type: 'Deleted', object: entry[1], old: entry[1] }
  })
  return { views, pending: events }
}
