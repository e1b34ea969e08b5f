/**
 * Versions of what is behind a Service of a cluster set in one cluster, as far as the relay saw. What is not
 * named is not there.
 */
export interface ClusterVersions {
  /** Of the ServiceExport. */
  readonly export?: string
  /** Of the Service that is exported. */
  readonly service?: string
  /** Of the Service's EndpointSlices, by name. */
  readonly slices?: Readonly<Record<string, string>>
  /** Of the ServiceImport. */
  readonly import?: string
  /** Of the derived Service. */
  readonly derived?: string
  /** Of the imported EndpointSlices, by name. */
  readonly imported?: Readonly<Record<string, string>>
}

/** By the cluster's name, of all clusters of the set. */
export type FleetVersions = Readonly<Record<string, ClusterVersions>>

/** More versions than these are left out of a message: it would not be small any more. */
export const FLEET_VERSIONS = 300

/** How much of a message they would be: the objects that there may be one of count as such. */
export const countVersions = (versions: FleetVersions): number =>
  Object.values(versions).reduce(
    (sum, { slices = {}, imported = {} }) =>
      sum + 4 + Object.keys(slices).length + Object.keys(imported).length,
    0,
  )
