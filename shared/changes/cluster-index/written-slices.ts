import { planOfEntries, type SliceState, stateOfPlan } from '../compare-with-desired.ts'
import type { Change } from '../key-queue/change.ts'
import { ownerText, type ServiceKey } from '../key-queue/key.ts'
import { HINTED_PODS } from '../key-queue/sync-hint.ts'
import { podsWritten } from '../pods-written.ts'
import type { PodEntry } from '../tables/pod-table.ts'
import { type ServiceEntry, textOfEntry } from '../tables/service-table.ts'
import { type SliceEntry, sliceOfEntry } from '../tables/slice-table.ts'
import { isOurs, isVerifiable } from './service-facts.ts'
import { changeOf, isEndpointOf, keyChange, serviceOf, type Tables } from './tables.ts'

interface ComparedPods {
  readonly state: SliceState
  /** Those of the Pods that are not published as they are, if the state is wrong. */
  readonly wrong: ReadonlySet<string>
  /** A slice is one too many, which no Pod shows. */
  readonly isOneTooMany?: true
}

/**
 * Verifies what functions have written, by what is remembered: whether the Pods are published as they ought
 * to be. A worker that was slow may have written what a Pod was long ago, while another one that saw it as it
 * is now found nothing to write.
 */
export function createWrittenSlices(tables: Tables) {
  const { services, pods, slices, endpoints } = tables
  // By Service: Pods whose endpoints functions have written. What is wrong stays: a function may have read
  // a newer Pod, Service or Node than the one that is known here.
  const unverified = new Map<string, Set<string>>()

  /** Notes the names of Pods that were published again, to be verified. */
  function noteWritten(before: SliceEntry | undefined, after: SliceEntry): void {
    if (!slices.isListed()) return
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
    const compared = compare(names, service)
    const { state, wrong } = compared
    if (state === 'right') return []
    // What is unknown is synced once.
    if (state === 'wrong') unverified.set(key, knownPods(wrong, service))
    return [changeOf(service, hintableOf(compared))]
  }

  /** Returns those of the Pods that are there, or in a slice. */
  function knownPods(names: ReadonlySet<string>, service: ServiceEntry): Set<string> {
    const held = [...slices.of(textOfEntry(service))]
    const isKnown = (name: string): boolean =>
      pods.get(`${service.namespace}/${name}`) !== undefined || held.some((slice) => slice.pods.has(name))
    return new Set([...names].filter(isKnown))
  }

  /**
   * Reports whether a slice may have been written for a Service as it was before. Its writer had read one
   * that asked for slices. He verifies mirrors himself, and what is not made of the Pods watched here.
   */
  function isOfEarlier({ isMirror, service: key }: SliceEntry, service: ServiceEntry | undefined): boolean {
    if (service === undefined || !isOurs(service, endpoints.get(key) !== undefined)) return true
    return service.selection.kind === 'mirrored' && !isMirror
  }

  /**
   * Compares Pods with what slices say of them. Where changes follow one another a few are wrong: the next
   * ones, of which the function did not know.
   * @param service one whose endpoints are Pods of its own namespace
   */
  function compare(names: ReadonlySet<string>, service: ServiceEntry): ComparedPods {
    const taken = [...names].flatMap((name): [string, PodEntry][] => {
      const key = `${service.namespace}/${name}`
      const pod = isEndpointOf(tables, key, service) ? pods.get(key) : undefined
      return pod === undefined ? [] : [[key, pod]]
    })
    const ours = [...slices.of(textOfEntry(service))]
    if (hasEmptyBesideOthers(ours)) return { state: 'wrong', wrong: names, isOneTooMany: true }
    // One without Pods shows labels and a family.
    const concerned = ours
      .filter(({ pods: held }) => held.size === 0 || !names.isDisjointFrom(held))
      .map((slice) => sliceOfEntry(slice, names))
    const known = { service, slices: concerned, pods: taken }
    const planned = planOfEntries(tables, known, { onlyPods: names })
    const changed = planned && podsWritten(concerned, planned, service.namespace).changed
    // Where a slice has other labels, none of them is wrong by itself.
    return { state: stateOfPlan(planned), wrong: changed?.size ? changed : names }
  }

  function isPublished({ pods: names, ...key }: Change): boolean {
    const service = serviceOf(tables, key)
    if (names === undefined || service === undefined || !isVerifiable(service)) return false
    // While Pods are listed not all of them are known.
    if (pods.version() === undefined) return false
    const ours = [...slices.of(ownerText(key))]
    // A slice without endpoints may be one too many, and a Service without slices lacks one.
    const areWhole = ours.length > 0 && ours.every(({ isSealed, endpoints }) => isSealed && endpoints > 0)
    return areWhole && compare(new Set(names), service).state === 'right'
  }

  return { noteWritten, verify, isPublished }
}

/** Returns the Pods for a hint; nothing where the whole Service is to be synced. */
const hintableOf = ({ wrong, isOneTooMany }: ComparedPods): Pick<Change, 'pods'> =>
  wrong.size > 0 && wrong.size <= HINTED_PODS && !isOneTooMany ? { pods: [...wrong] } : {}

/**
 * Reports whether a slice without endpoints is not the only one of its family: two functions created slices
 * for different ports, or one died before it deleted what it had emptied.
 */
const hasEmptyBesideOthers = (ours: readonly SliceEntry[]): boolean =>
  ours.some(
    (empty) =>
      empty.endpoints === 0 &&
      ours.some((other) => other !== empty && other.addressType === empty.addressType),
  )

/** Returns the names of the Pods whose endpoints differ; all where anything else does, such as the ports. */
function podsChanged(before: SliceEntry | undefined, after: SliceEntry): readonly string[] {
  const was = before?.pods ?? new Map()
  const isSameElse = before?.common === after.common
  const changed = [...after.pods].filter(([name, text]) => !isSameElse || was.get(name) !== text)
  const gone = [...was.keys()].filter((name) => !after.pods.has(name))
  return [...changed.map(([name]) => name), ...gone]
}
