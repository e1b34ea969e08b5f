/** Versions of the objects of one cluster behind a Service of a cluster set; absent: there is none. */
export interface ClusterVersions {
  /** Version of the ServiceExport. */
  readonly export?: string
  /** Version of the Service that is exported. */
  readonly service?: string
  /** Versions of the Service's EndpointSlices, by name. */
  readonly slices?: Readonly<Record<string, string>>
  /** Version of the ServiceImport. */
  readonly import?: string
  /** Version of the derived Service. */
  readonly derived?: string
  /** Versions of the imported EndpointSlices, by name. */
  readonly imported?: Readonly<Record<string, string>>
}

/** Versions in all clusters of the set, by the cluster's name. */
export type FleetVersions = Readonly<Record<string, ClusterVersions>>

/** More versions than these are left out of a message: it would not be small any more. */
export const FLEET_VERSIONS = 300

/** Counts the versions, which decide the size of a message; each kind of a single object counts as one. */
export const countVersions = (versions: FleetVersions): number =>
  Object.values(versions).reduce(
    (sum, { slices = {}, imported = {} }) =>
      sum + 4 + Object.keys(slices).length + Object.keys(imported).length,
    0,
  )
