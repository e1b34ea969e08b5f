import {
  type AddressType,
  addressTypesOf,
  type EndpointSlice,
  type Service,
} from '../../endpointslice/index.ts'
import type { WantedCondition } from '../merging/merged-service.ts'
import { FAMILIES, type ImportSource } from './imported-endpoints.ts'

/** Parts of an import that decide which families its clients can use. */
interface ImportedFamilies {
  /** Id of the importing cluster. */
  readonly home: string
  /** Undefined of a headless import, whose clients get the addresses of endpoints. */
  readonly derived: Service | undefined
  readonly sources: readonly ImportSource[]
  /** Imported slices, also those of clusters that did not answer. */
  readonly slices: readonly EndpointSlice[]
}

/**
 * Returns the condition of a ServiceImport whose addresses lead nowhere, since the importing cluster assigns
 * no family that the exports have, or none in which an endpoint is ready; undefined where one does.
 */
export function familyCondition(families: ImportedFamilies): WantedCondition | undefined {
  const { home, derived, sources, slices } = families
  if (derived === undefined) return undefined
  const assigned = familiesIn(addressTypesOf(derived))
  const published = slices.filter(({ endpoints }) => (endpoints?.length ?? 0) > 0)
  const exported = familiesIn([
    ...sources.flatMap(({ service }) => addressTypesOf(service)),
    ...published.map(({ addressType }) => addressType),
  ])
  const ready = familiesIn(published.filter(hasReady).map(({ addressType }) => addressType))
  const reachable = (families: readonly AddressType[]): boolean =>
    families.length === 0 || families.some((family) => assigned.includes(family))
  const says = `cluster ${home} assigns ${assigned.join(' and ')}`
  if (!reachable(exported))
    return notSupported(`${says}, and the exports have ${exported.join(' and ')} only`)
  if (!reachable(ready))
    return notSupported(`${says}, and endpoints are ready in ${ready.join(' and ')} only`)
  return undefined
}

const notSupported = (message: string): WantedCondition => ({
  type: 'Ready',
  status: 'False',
  reason: 'IPFamilyNotSupported',
  message,
})

const hasReady = ({ endpoints }: EndpointSlice): boolean =>
  (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false)

const familiesIn = (types: readonly (string | undefined)[]): AddressType[] =>
  FAMILIES.filter((family) => types.includes(family))
