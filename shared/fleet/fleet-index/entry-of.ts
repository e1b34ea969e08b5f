import { hash } from 'node:crypto'
import { ENDPOINT_SELECTOR, FLEET_MANAGED_BY, knownTime } from '../../changes/index.ts'
import {
  ANNOTATION_TRIGGER_TIME,
  ENDPOINT_SELECTOR_OWNER,
  LABEL_MANAGED_BY,
  SERVICE_OWNER,
} from '../../endpointslice/index.ts'
import { isRecord } from '../../values/index.ts'
import { isAbsent } from '../faults.ts'
import { derivedServiceName, IMPORT_OWNER } from '../import-owner.ts'
import { ANNOTATION_EXPORT_KIND, LABEL_CLUSTER_SET, LABEL_IMPORT_NAME } from '../well-known.ts'
import type { VersionEntry } from './version-table.ts'
import { nameText, serviceNameOf, type WatchedMetadata } from './watched-metadata.ts'

/** Of a slice of an exported Service nothing is read but labels and content, which its generation covers. */
const sliceContent = ({ uid, generation, deletedAt }: WatchedMetadata): string | undefined =>
  typeof generation === 'number' ? JSON.stringify([uid, generation, deletedAt]) : undefined

/** Of an export its spec is read, annotations of ours, and its status. */
const exportContent = ({ uid, spec, status, deletedAt, ownAnnotations }: WatchedMetadata): string =>
  digestOf([uid, spec, status, deletedAt, ownAnnotations])

/** Of an exported Service its spec is read, and what marks it as ours. */
function serviceContent({
  uid,
  spec,
  deletedAt,
  ownAnnotations,
  label,
}: WatchedMetadata): string | undefined {
  const marks = [label(LABEL_CLUSTER_SET), label(LABEL_IMPORT_NAME)]
  return spec === undefined ? undefined : digestOf([uid, spec, deletedAt, ownAnnotations, marks])
}

const digestOf = (content: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(content), 'base64url').slice(0, DIGEST_CHARACTERS)
const DIGEST_CHARACTERS = 22

/** Entries of objects of each kind in the index of a set. Labels may hold whatever anybody wrote. */
export const entryOf = {
  exports: (metadata: WatchedMetadata): VersionEntry => ({
    version: metadata.version,
    content: exportContent(metadata),
    service: nameText(metadata.namespace, metadata.name),
    ofSelector: metadata.annotation(ANNOTATION_EXPORT_KIND) === ENDPOINT_SELECTOR,
    isReason: true,
    selects: isRecord(metadata.spec) && !isAbsent(metadata.spec.clusterSelectors),
    time: knownTime(metadata.createdAt),
  }),
  /** Makes the entry of an import: one of this set makes a Service known, also one that was left behind. */
  imports: ({ namespace, name, version, label }: WatchedMetadata, set: string): VersionEntry => ({
    version,
    service: nameText(namespace, name),
    isReason: label(LABEL_CLUSTER_SET) === set,
  }),
  /** Makes the entry of a Service. A derived one names its Service in a label, which its name confirms. */
  services(metadata: WatchedMetadata, set: string): VersionEntry {
    const { namespace, name, version, label } = metadata
    const source = serviceNameOf(label(LABEL_IMPORT_NAME))
    const isDerived =
      source !== undefined &&
      label(LABEL_CLUSTER_SET) === set &&
      name === derivedServiceName(namespace, source)
    return isDerived
      ? { version, service: nameText(namespace, source), isReason: true }
      : { version, content: serviceContent(metadata), service: undefined, isReason: false }
  },
  /** Makes the entry of a slice: imported, or of a Service or EndpointSelector of its own cluster. */
  slices(metadata: WatchedMetadata): VersionEntry {
    const { namespace, version, label, annotation } = metadata
    const isImported = label(LABEL_MANAGED_BY) === FLEET_MANAGED_BY
    const ofSelector = !isImported && label(SERVICE_OWNER.nameLabel) === undefined
    const owner = isImported ? IMPORT_OWNER : ofSelector ? ENDPOINT_SELECTOR_OWNER : SERVICE_OWNER
    const service = serviceNameOf(label(owner.nameLabel))
    return {
      version,
      service: service === undefined ? undefined : nameText(namespace, service),
      isReason: isImported && service !== undefined,
      ...(!isImported && {
        ofSelector,
        content: sliceContent(metadata),
        time: knownTime(annotation(ANNOTATION_TRIGGER_TIME)),
      }),
    }
  },
} as const
