import { freeName } from '../slice-names.ts'
import type { EndpointSlice, Endpoints, ObjectMeta } from '../types.ts'
import { ANNOTATION_TRIGGER_TIME, LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../well-known.ts'

/** Annotations of Endpoints that say nothing of their slices. */
const NOT_COPIED: readonly string[] = [
  ANNOTATION_TRIGGER_TIME,
  'kubectl.kubernetes.io/last-applied-configuration',
]

/** Metadata of the slices of one Endpoints object. */
export interface MirrorMetadata {
  /** Reports whether labels, annotations and owner are as they ought to be. */
  isCurrent(slice: EndpointSlice): boolean
  forUpdate(slice: EndpointSlice): ObjectMeta
  /** @param identity of the slice among those of the Endpoints; its name follows from it */
  forNew(identity: string): ObjectMeta
}

export interface MirrorMetadataOptions {
  readonly managedBy: string
  /** Names that a new slice must not have. */
  readonly taken: ReadonlySet<string>
}

export function createMirrorMetadata(
  { metadata = {} }: Endpoints,
  { managedBy, taken }: MirrorMetadataOptions,
): MirrorMetadata {
  const { name = '', namespace = '', uid = '' } = metadata
  const labels = { ...metadata.labels, [LABEL_SERVICE_NAME]: name, [LABEL_MANAGED_BY]: managedBy }
  const annotations = Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.includes(key)),
  )
  const owner = { apiVersion: 'v1', kind: 'Endpoints', name, uid, controller: true, blockOwnerDeletion: true }

  const common = (): ObjectMeta => ({
    namespace,
    labels: { ...labels },
    ...(Object.keys(annotations).length > 0 && { annotations: { ...annotations } }),
    ownerReferences: [{ ...owner }],
  })

  return {
    isCurrent({ metadata: current }) {
      const isOwned =
        current?.ownerReferences?.some((one) => one.kind === owner.kind && one.uid === uid) ?? false
      return isOwned && isSameMap(current?.labels, labels) && isSameMap(current?.annotations, annotations)
    },
    forUpdate({ metadata: { name: own, uid: ownUid, resourceVersion } = {} }) {
      return { ...common(), name: own, uid: ownUid, resourceVersion }
    },
    forNew(identity) {
      const of = { prefix: `${name}-`, identity: JSON.stringify([uid, identity]) }
      return { name: freeName(of, taken).name, ...common() }
    },
  }
}

type TextMap = Readonly<Record<string, string>>

function isSameMap(a: TextMap | null | undefined, b: TextMap): boolean {
  const keys = Object.keys(a ?? {})
  return keys.length === Object.keys(b).length && keys.every((key) => a?.[key] === b[key])
}
