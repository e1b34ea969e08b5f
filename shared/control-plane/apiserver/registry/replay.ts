import { jsonText } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

/** Conversions that one write may ask for: an owner's version takes a few. */
const MOST = 200

/** An object as another version; throws `ConversionNeeded` where that is not known yet. */
export type ConvertNow = (object: KubeObject, apiVersion: string) => KubeObject

/** Stops a function that needs a conversion which takes time. */
class ConversionNeeded extends Error {
  readonly key: string
  readonly object: KubeObject
  readonly apiVersion: string

  constructor(key: string, object: KubeObject, apiVersion: string) {
    super(`failed to go on without ${object.metadata.name ?? ''} as ${apiVersion}`)
    this.key = key
    this.object = object
    this.apiVersion = apiVersion
  }
}

/**
 * Runs a function that converts objects as if that took no time. Where it does, the function is stopped and
 * begun again once the conversion is there: it has to do the same again with the same objects, and to change
 * nothing before its end.
 */
export async function withConversions<Result>(
  convert: (object: KubeObject, apiVersion: string) => Promise<KubeObject>,
  run: (convertNow: ConvertNow) => Promise<Result>,
): Promise<Result> {
  const known = new Map<string, KubeObject>()
  const convertNow: ConvertNow = (object, apiVersion) => {
    if (object.apiVersion === apiVersion) return object
    const key = `${apiVersion}\n${jsonText(object)}`
    const found = known.get(key)
    if (!found) throw new ConversionNeeded(key, object, apiVersion)
    return found
  }
  for (let conversions = 0; ; conversions++) {
    try {
      return await run(convertNow)
    } catch (error) {
      if (!(error instanceof ConversionNeeded) || conversions >= MOST) throw error
      known.set(error.key, await convert(error.object, error.apiVersion))
    }
  }
}
