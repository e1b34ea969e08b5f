import { derivedServiceName } from '../import-owner.ts'
import { type NameText, nameText, parseNameText } from './watched-metadata.ts'

/**
 * Services of a set, each as long as an object of any cluster is a reason for it: those that are known, by
 * ServiceExports and what was imported, and those whose imports prefer clusters by their properties.
 */
export interface KnownServices {
  has(service: NameText): boolean
  /** Counts one more object that makes the Service known. */
  add(service: NameText): void
  remove(service: NameText): void
  all(): MapIterator<NameText>
  /** Returns the Service whose derived Service has this name. */
  derivedFrom(derived: NameText): NameText | undefined
  /** Returns the name of the Service's derived Service. */
  derivedOf(service: NameText): NameText
}

export function createKnownServices(): KnownServices {
  const objects = new Map<NameText, number>()
  const derived = new Map<NameText, NameText>()
  return {
    has: (service) => objects.has(service),
    add(service) {
      const count = objects.get(service) ?? 0
      objects.set(service, count + 1)
      if (count === 0) derived.set(derivedOf(service), service)
    },
    remove(service) {
      const count = objects.get(service) ?? 0
      if (count > 1) objects.set(service, count - 1)
      else if (objects.delete(service)) derived.delete(derivedOf(service))
    },
    all: () => objects.keys(),
    derivedFrom: (name) => derived.get(name),
    derivedOf,
  }
}

function derivedOf(service: NameText): NameText {
  const { namespace, name } = parseNameText(service)
  return nameText(namespace, derivedServiceName(namespace, name))
}
