import type { Json } from '../../../../../../test/support/raw-client.ts'
import { GROUP } from '../scene.ts'

/** Answers a review. */
export type Answer = (review: Json) => Json

/** Converts as it should: v1 has `host` and `port`, v2 has both in one. */
export const convert: Answer = (review) => answerTo(review, (object) => converted(object, review))

/** Returns the right answer, changed. */
export function spoilt(spoil: (answer: Json) => void): Answer {
  return (review) => {
    const answer = convert(review)
    spoil(answer)
    return answer
  }
}

/** Returns the right answer with its first object changed. */
export function spoiltObject(spoil: (object: Json) => void): Answer {
  return spoilt(({ response }) => spoil(response.convertedObjects[0]))
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
