import { knownTime } from '../../changes/index.ts'
import { ANNOTATION_TRIGGER_TIME, LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../../endpointslice/index.ts'
import { derivedServiceName } from '../derived-name.ts'
import { FLEET_MANAGED_BY, LABEL_CLUSTER_SET, LABEL_IMPORT_NAME } from '../well-known.ts'
import type { VersionEntry } from './version-table.ts'
import { nameText, serviceNameOf, type WatchedMetadata } from './watched-metadata.ts'

/** What an object of each kind means for the Services of a set; labels are whatever anybody wrote. */
export const entryOf = {
  exports: ({ namespace, name, version, createdAt }: WatchedMetadata): VersionEntry => ({
    version,
    service: nameText(namespace, name),
    isReason: true,
    time: knownTime(createdAt),
  }),
  /** Only an import of this set, be it left behind, makes a Service known. */
  imports: ({ namespace, name, version, label }: WatchedMetadata, set: string): VersionEntry => ({
    version,
    service: nameText(namespace, name),
    isReason: label(LABEL_CLUSTER_SET) === set,
  }),
  /** A derived Service says by its label which one it is of, and by its name whether that is so. */
  services({ namespace, name, version, label }: WatchedMetadata, set: string): VersionEntry {
    const source = serviceNameOf(label(LABEL_IMPORT_NAME))
    const isDerived =
      source !== undefined &&
      label(LABEL_CLUSTER_SET) === set &&
      name === derivedServiceName(namespace, source)
    return isDerived
      ? { version, service: nameText(namespace, source), isReason: true }
      : { version, service: undefined, isReason: false }
  },
  /** A slice is imported, or it is of a Service of its own cluster. */
  slices({ namespace, version, label, annotation }: WatchedMetadata): VersionEntry {
    const isImported = label(LABEL_MANAGED_BY) === FLEET_MANAGED_BY
    const service = serviceNameOf(label(isImported ? LABEL_IMPORT_NAME : LABEL_SERVICE_NAME))
    return {
      version,
      service: service === undefined ? undefined : nameText(namespace, service),
      isReason: isImported && service !== undefined,
      ...(!isImported && { time: knownTime(annotation(ANNOTATION_TRIGGER_TIME)) }),
    }
  },
} as const
