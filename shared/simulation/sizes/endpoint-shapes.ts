import type { Endpoint } from '../../endpointslice/index.ts'
import type { Bytes } from './object-size.ts'

/** Bytes of encoded endpoints, by shape: endpoints with fields of equal lengths have equal sizes. */
interface EndpointShapes {
  /** @param encode called with the first endpoint of a shape */
  bytesOf(endpoint: Endpoint, encode: () => Bytes): Bytes
}

/**
 * Creates an empty store. The shape of nearly all endpoints is two numbers, which are several times faster to
 * build and look up than a string. All fields of endpoints are ASCII.
 */
export function createShapes(): EndpointShapes {
  const plain = new Map<number, Map<number, Bytes>>()
  const others = new Map<string, Bytes>()

  function bytesOfOther(endpoint: Endpoint, encode: () => Bytes): Bytes {
    const text = JSON.stringify(endpoint)
    const bytes = others.get(text) ?? encode()
    if (others.size < MAX_OTHERS) others.set(text, bytes)
    return bytes
  }

  return {
    bytesOf(endpoint, encode) {
      if (!isPlain(endpoint)) return bytesOfOther(endpoint, encode)
      const { addresses, targetRef, nodeName, zone, hostname } = endpoint
      const whose = numberOf(addresses[0], targetRef?.namespace, targetRef?.name, targetRef?.uid, nodeName)
      const shapes = plain.get(whose) ?? new Map<number, Bytes>()
      const rest = 27 * numberOf(zone, hostname) + conditionsNumber(endpoint)
      const bytes = shapes.get(rest) ?? encode()
      plain.set(whose, shapes.set(rest, bytes))
      return bytes
    },
  }
}

/** Maximum number of cached endpoints whose shape does not fit into numbers. */
const MAX_OTHERS = 10_000
/** Lengths below this, plus a value for absent, are digits of a number. A number has five of them. */
const BASE = 1_024

function isPlain({ addresses, targetRef, nodeName, zone, hostname, hints }: Endpoint): boolean {
  const [address, ...others] = addresses
  const { namespace, name, uid } = targetRef ?? {}
  if (hints !== undefined || others.length > 0) return false
  return [address, namespace, name, uid, nodeName, zone, hostname].every((text) => digitOf(text) < BASE)
}

const digitOf = (text: string | null | undefined): number =>
  text === undefined || text === null ? 0 : text.length + 1

/** Combines the lengths of up to five strings into one number. */
function numberOf(...texts: readonly (string | null | undefined)[]): number {
  let number = 0
  for (const text of texts) number = number * BASE + digitOf(text)
  return number
}

function conditionsNumber({ conditions }: Endpoint): number {
  const { ready, serving, terminating } = conditions ?? {}
  return 9 * third(ready) + 3 * third(serving) + third(terminating)
}

const third = (condition: boolean | null | undefined): number => (condition ? 2 : condition === false ? 1 : 0)
