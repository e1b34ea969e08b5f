import { createHash } from 'node:crypto'
import { type EndpointSlice, SliceOwner } from '../endpointslice/index.ts'
import { MCS_GROUP, MCS_VERSIONS } from './resources.ts'
import { LABEL_IMPORT_NAME, LABEL_SOURCE_CLUSTER } from './well-known.ts'

/** The owner of imported slices. Those of a derived Service name that one by a label, too. */
export const IMPORT_OWNER: SliceOwner = new SliceOwner({
  apiVersion: `${MCS_GROUP}/${MCS_VERSIONS[0]}`,
  kind: 'ServiceImport',
  nameLabel: LABEL_IMPORT_NAME,
  isController: false,
})

/** Returns the id of the cluster that the endpoints of an imported slice are in. */
export const sourceOf = ({ metadata }: Pick<EndpointSlice, 'metadata'>): string =>
  metadata?.labels?.[LABEL_SOURCE_CLUSTER] ?? ''

/** Digits of the digest that a name has, as base32hex: 5 bits a digit. */
const DIGITS = 10

/**
 * Returns the name of the Service whose cluster IPs a ServiceImport has, in the namespace of the import. mcs-
 * api and Cilium name it alike, so that a cluster may go from one implementation to another.
 */
export function derivedServiceName(namespace: string, name: string): string {
  const digest = createHash('sha256').update(`${namespace}/${name}`).digest()
  const bits = digest.readBigUInt64BE() >> BigInt(64 - 5 * DIGITS)
  // The digits of base32hex are those of the radix 32.
  return `derived-${bits.toString(32).padStart(DIGITS, '0')}`
}
