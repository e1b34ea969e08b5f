import { knownTime } from '../../changes/index.ts'
import { ANNOTATION_TRIGGER_TIME, LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../../endpointslice/index.ts'
import { derivedServiceName } from '../derived-name.ts'
import { FLEET_MANAGED_BY, LABEL_CLUSTER_SET, LABEL_IMPORT_NAME } from '../well-known.ts'
import type { VersionEntry } from './version-table.ts'
import { nameText, serviceNameOf, type WatchedMetadata } from './watched-metadata.ts'

/** Entries of objects of each kind in the index of a set. Labels may hold whatever anybody wrote. */
export const entryOf = {
  exports: ({ namespace, name, version, createdAt }: WatchedMetadata): VersionEntry => ({
    version,
    service: nameText(namespace, name),
    isReason: true,
    time: knownTime(createdAt),
  }),
  /** Makes the entry of an import: one of this set makes a Service known, also one that was left behind. */
  imports: ({ namespace, name, version, label }: WatchedMetadata, set: string): VersionEntry => ({
    version,
    service: nameText(namespace, name),
    isReason: label(LABEL_CLUSTER_SET) === set,
  }),
  /**
   * Makes the entry of a Service. A derived one says by its label which Service it is of, and its name shows
   * whether that is true.
   */
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
  /** Makes the entry of a slice, which is imported or of a Service of its own cluster. */
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
