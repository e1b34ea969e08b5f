import type { Change, ServiceKey } from '../key-queue/index.ts'
import { HINTED_PODS, ownerText } from '../key-queue/index.ts'
import { type ServiceEntry, type SliceEntry, textOfEntry } from '../tables/index.ts'
import { areWrittenRight, podsChanged } from '../written-pods.ts'
import { isOurs, isVerifiable } from './service-facts.ts'
import { changeOf, isEndpointOf, keyChange, type Tables } from './tables.ts'

/** Verifies what functions have written. */
export interface WrittenSlices {
  noteWritten(before: SliceEntry | undefined, after: SliceEntry): void
  verify(key: ServiceKey): Change[]
  isPublished(change: Change): boolean
}

export function createWrittenSlices(tables: Tables): WrittenSlices {
  const { cluster, services, pods, nodes, slices, endpoints, publishable } = tables
  // By Service: Pods whose endpoints functions have written.
  const unverified = new Map<string, Set<string>>()

  /** Notes the names of Pods that were published again, to be verified. */
  function noteWritten(before: SliceEntry | undefined, after: SliceEntry): void {
    if (!slices.hasListed) return
    const names = unverified.get(after.service) ?? new Set()
    unverified.set(after.service, names)
    for (const name of podsChanged(before, after)) names.add(name)
  }

  function verify(owner: ServiceKey): Change[] {
    const key = ownerText(owner)
    const service = services.get(key)
    const names = unverified.get(key)
    unverified.delete(key)
    if (names === undefined) return []
    if (service === undefined || !isVerifiable(service))
      return [...slices.of(key)].some((slice) => isOfEarlier(slice, service)) ? [keyChange(tables, key)] : []
    if (names.size === 0) return []
    if (arePublished(names, service)) return []
    return [changeOf(service, names.size <= HINTED_PODS ? { pods: [...names] } : {})]
  }

  /**
   * Reports whether a slice may have been written for a Service as it was before. Its writer had read one
   * that asked for slices. He verifies mirrors himself, and what is not made of the Pods watched here.
   */
  function isOfEarlier({ isMirror, service: key }: SliceEntry, service: ServiceEntry | undefined): boolean {
    if (service === undefined || !isOurs(service, endpoints.get(key) !== undefined)) return true
    return service.selection.kind === 'mirrored' && !isMirror
  }

  function arePublished(names: ReadonlySet<string>, service: ServiceEntry): boolean {
    const { namespace } = service
    return areWrittenRight({
      names,
      service,
      slices: slices.of(textOfEntry(service)),
      pod: (name) => {
        const pod = `${namespace}/${name}`
        return isEndpointOf(tables, pod, service) ? pods.get(pod) : undefined
      },
      node: nodes.get,
      publishable,
    })
  }

  function isPublished({ pods: names, ...key }: Change): boolean {
    const service = key.cluster === cluster ? services.get(ownerText(key)) : undefined
    if (names === undefined || service === undefined || !isVerifiable(service)) return false
    const ours = [...slices.of(ownerText(key))]
    // A slice without endpoints may be one too many, and a Service without slices lacks one.
    const areWhole = ours.length > 0 && ours.every(({ isSealed, endpoints }) => isSealed && endpoints > 0)
    return areWhole && arePublished(new Set(names), service)
  }

  return { noteWritten, verify, isPublished }
}
