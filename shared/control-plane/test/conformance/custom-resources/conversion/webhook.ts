import type { Json } from '../../../../../../test/support/raw-client.ts'
import { GROUP } from '../scene.ts'

/** Answers a review. */
type Answer = (review: Json) => Json

/** Converts as it should: v1 has `host` and `port`, v2 has both in one. */
export const convert: Answer = (review) => answerTo(review, (object) => converted(object, review))

/** Returns the right answer with other members; those that are undefined are left out. */
export const spoilt =
  (members: Json): Answer =>
  (review) =>
    merged(convert(review), members)

/** Returns the right answer with other members of its first object. */
export const spoiltObject =
  (members: Json): Answer =>
  (review) => {
    const answer = convert(review)
    merged(answer.response.convertedObjects[0], members)
    return answer
  }

function merged(target: Json, members: Json): Json {
  for (const [name, value] of Object.entries<Json>(members))
    target[name] = value?.constructor === Object ? merged(target[name] ?? {}, value) : value
  return target
}

function answerTo({ apiVersion, kind, request }: Json, change: (object: Json) => Json): Json {
  const { uid, objects } = request
  const convertedObjects = objects.map(change)
  return { apiVersion, kind, response: { uid, result: { status: 'Success' }, convertedObjects } }
}

function converted(object: Json, { request }: Json): Json {
  const { host, port, address, ...rest } = object
  const next = { ...rest, apiVersion: request.desiredAPIVersion }
  if (request.desiredAPIVersion === `${GROUP}/v1`) {
    const [first, second] = (address ?? '').split(':')
    return { ...next, host: first, port: second }
  }
  return { ...next, address: `${host}:${port}` }
}
