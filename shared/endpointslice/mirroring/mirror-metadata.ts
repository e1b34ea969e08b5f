import { SERVICE_OWNER } from '../slice-owner.ts'
import { freeName } from '../slices/slice-names.ts'
import type { EndpointSlice, Endpoints, ObjectMeta } from '../types.ts'
import { ANNOTATION_TRIGGER_TIME, LABEL_MANAGED_BY } from '../well-known.ts'

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

interface MirrorMetadataOptions {
  readonly managedBy: string
  /** Names that a new slice must not have. */
  readonly taken: ReadonlySet<string>
  readonly isOwnAnnotation: (name: string) => boolean
}

export function createMirrorMetadata(
  { metadata = {} }: Endpoints,
  { managedBy, taken, isOwnAnnotation }: MirrorMetadataOptions,
): MirrorMetadata {
  const { name = '', namespace = '', uid = '' } = metadata
  const labels = { ...metadata.labels, [SERVICE_OWNER.nameLabel]: name, [LABEL_MANAGED_BY]: managedBy }
  const annotations = pick(metadata.annotations, (key) => !NOT_COPIED.includes(key) && !isOwnAnnotation(key))
  const owner = { apiVersion: 'v1', kind: 'Endpoints', name, uid, controller: true, blockOwnerDeletion: true }

  /** @param own annotations of the caller's */
  function common(own: TextMap = {}): ObjectMeta {
    const all = { ...annotations, ...own }
    return {
      namespace,
      labels: { ...labels },
      ...(Object.keys(all).length > 0 && { annotations: all }),
      ownerReferences: [{ ...owner }],
    }
  }

  return {
    isCurrent({ metadata: current }) {
      const isOwned =
        current?.ownerReferences?.some((one) => one.kind === owner.kind && one.uid === uid) ?? false
      const copied = pick(current?.annotations, (key) => !isOwnAnnotation(key))
      return isOwned && isSameMap(current?.labels, labels) && isSameMap(copied, annotations)
    },
    forUpdate({ metadata: { name: own, uid: ownUid, resourceVersion, annotations: current } = {} }) {
      return { ...common(pick(current, isOwnAnnotation)), name: own, uid: ownUid, resourceVersion }
    },
    forNew(identity) {
      const of = { prefix: `${name}-`, identity: JSON.stringify([uid, identity]) }
      return { name: freeName(of, taken).name, ...common() }
    },
  }
}

type TextMap = Readonly<Record<string, string>>

const pick = (map: TextMap | null | undefined, isPicked: (key: string) => boolean): Record<string, string> =>
  Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => isPicked(key)))

function isSameMap(a: TextMap | null | undefined, b: TextMap): boolean {
  const keys = Object.keys(a ?? {})
  return keys.length === Object.keys(b).length && keys.every((key) => a?.[key] === b[key])
}
