import { ENDPOINT_SELECTOR_OWNER, type EndpointSlice } from '../../endpointslice/index.ts'
import { NATIVE_ENDPOINT_SELECTORS, subdomainName } from '../../kubernetes/index.ts'
import type { Change } from '../key-queue/change.ts'
import { ENDPOINT_SELECTOR, ownerText } from '../key-queue/key.ts'
import type { ForeignSlice, OwnerTables } from '../tables/owner-table.ts'
import type { KindTable } from './kind-index.ts'
import { keyChange, type Tables } from './tables.ts'

/**
 * Finds which keys a slice of an EndpointSelector by another controller concerns: the EndpointSelector, once
 * that controller begins to publish it, and once it has stopped. No more than the metadata is read. Discovery
 * does not show which controller reconciles a kind: only what it writes does.
 */
export function createForeignSliceIndex(
  tables: Pick<Tables, 'cluster' | 'slices'>,
  { foreign, of }: OwnerTables,
): KindTable<EndpointSlice> {
  const selectors = of(NATIVE_ENDPOINT_SELECTORS)
  /** Makes the changes of a write to the table: of the EndpointSelectors that are published otherwise now. */
  function changesOf(slices: readonly (ForeignSlice | undefined)[], write: () => void): Change[] {
    const concerned = slices.filter((slice) => slice !== undefined)
    const before = new Map(concerned.map(({ uid }) => [uid, foreign.hasSlicesOf(uid)]))
    write()
    return ownerChanges(concerned.filter(({ uid }) => before.get(uid) !== foreign.hasSlicesOf(uid)))
  }

  /** Makes a change of each EndpointSelector of the slices that is known. */
  function ownerChanges(slices: readonly ForeignSlice[]): Change[] {
    const known = slices.filter(
      ({ owner, uid }) =>
        selectors.get(owner)?.service.metadata?.uid === uid || tables.slices.of(owner).size > 0,
    )
    return [...new Set(known.map(({ owner }) => owner))].map((owner) => keyChange(tables, owner))
  }

  return {
    size: foreign.size,
    listing: foreign.listing,
    put(key, slice) {
      const [before, after] = [foreign.get(key), foreignSlice(slice)]
      return changesOf([before, after], () => {
        if (after === undefined) foreign.delete(key)
        else foreign.set(key, after)
      })
    },
    remove: (key) => changesOf([foreign.get(key)], () => foreign.delete(key)),
    listed() {
      const gone = foreign.listed().map(([, slice]) => slice)
      return ownerChanges(gone.filter(({ uid }) => !foreign.hasSlicesOf(uid)))
    },
  }
}

/** Reads which EndpointSelector a slice is of; undefined if it names none. */
function foreignSlice({ metadata }: EndpointSlice): ForeignSlice | undefined {
  const service = ENDPOINT_SELECTOR_OWNER.nameOf({ metadata })
  const { ownerReferences, namespace = '' } = metadata ?? {}
  const owners = Array.isArray(ownerReferences) ? ownerReferences : []
  const owner = owners.find((each) => each?.kind === ENDPOINT_SELECTOR && each.name === service)
  if (subdomainName(service).length > 0 || typeof owner?.uid !== 'string') return undefined
  return { owner: ownerText({ namespace, service, ownerKind: ENDPOINT_SELECTOR }), uid: owner.uid }
}
