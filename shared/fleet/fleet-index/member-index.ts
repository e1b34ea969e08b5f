import type { Change, ClusterHistory, KindIndex } from '../../changes/index.ts'
import {
  type ClusterSet,
  type ClusterSetMember,
  clusterSetIn,
  exportsServices,
  fleetKey,
  holdsImports,
} from '../../cluster-sets/index.ts'
import { type ApiObject, createObjectTable } from '../../kubernetes/index.ts'
import { entryOf } from './entry-of.ts'
import { createMemberTables, type SetServices } from './member-tables.ts'
import type { VersionChange } from './version-table.ts'
import {
  type NameText,
  nameText,
  parseNameText,
  readMetadata,
  type WatchedMetadata,
} from './watched-metadata.ts'

/**
 * Kinds that are watched of a member: no imports of one that only exports, no exports of one that only
 * imports, and its ClusterProperties where exports may select clusters by them.
 */
export type FleetKind = 'exports' | 'imports' | 'services' | 'slices' | 'namespaces' | 'properties'

export type MemberIndex = ReturnType<typeof createMemberIndex>

/** What the members of a set share. */
interface MemberSurroundings extends SetServices {
  readonly history: ClusterHistory
}

/** One member of a set: what its watches deliver goes in, the keys that it concerns come out. */
export function createMemberIndex(
  set: ClusterSet,
  member: ClusterSetMember,
  { known, selecting, history }: MemberSurroundings,
) {
  const tables = createMemberTables(member, { known, selecting })
  const namespaces = createMetadataIndex(
    ({ uid }) => uid,
    (namespace) =>
      clusterSetIn(set, namespace) !== undefined
        ? keysOf(set, known.all()).filter((key) => key.namespace === namespace)
        : [],
  )
  const properties = createMetadataIndex(
    ({ uid, generation, version }) => `${uid} ${typeof generation === 'number' ? generation : version}`,
    () => keysOf(set, selecting.all()),
  )
  const all = { ...tables, namespaces, properties }
  const kinds = kindsOf(set, member)

  function take(kind: keyof typeof entryOf, change: VersionChange | undefined): Change[] {
    if (change === undefined) return []
    const { before, after } = change
    const triggerTime = after?.time === before?.time ? undefined : after?.time
    return keysOf(set, tables.take(tables[kind], change)).map((key) => ({
      ...key,
      ...(triggerTime !== undefined && { triggerTime }),
    }))
  }

  function indexOf(kind: keyof typeof entryOf): KindIndex<ApiObject> {
    const table = tables[kind]
    const read = (object: ApiObject): ReturnType<typeof readMetadata> => {
      const metadata = readMetadata(object)
      return metadata && clusterSetIn(set, metadata.namespace) && metadata
    }
    return {
      listing: table.listing,
      put(object) {
        const metadata = read(object)
        if (metadata === undefined) return []
        const name = nameText(metadata.namespace, metadata.name)
        return take(kind, table.put(name, entryOf[kind](metadata, set.name)))
      },
      remove(object) {
        const metadata = read(object)
        return metadata ? take(kind, table.remove(nameText(metadata.namespace, metadata.name))) : []
      },
      listed: () => table.listed().flatMap((change) => take(kind, change)),
      bookmark: () => undefined,
    }
  }

  return {
    history,
    /** The kinds that are watched of it. */
    kinds: new Map<FleetKind, KindIndex<ApiObject>>(
      kinds.map((kind) => [kind, kind === 'namespaces' || kind === 'properties' ? all[kind] : indexOf(kind)]),
    ),
    /** Whether each of them was listed once. */
    get isSynced() {
      return kinds.every((kind) => all[kind].isListed)
    },
    /** Returns the keys of the Services that it exports. */
    exported: (): Change[] => keysOf(set, tables.exported()),
    versions: tables.versions,
    /** Counts the objects of a kind that are remembered. */
    size: (kind: FleetKind): number => all[kind].size,
  }
}

const kindsOf = ({ clusterSelection }: ClusterSet, member: ClusterSetMember): readonly FleetKind[] => [
  'services',
  'slices',
  ...(exportsServices(member) ? (['exports'] as const) : []),
  ...(holdsImports(member) ? (['imports', 'namespaces'] as const) : []),
  ...(clusterSelection ? (['properties'] as const) : []),
]

export const keysOf = ({ name: set }: ClusterSet, services: Iterable<NameText>): Change[] =>
  Array.from(services, (text) => {
    const { namespace, name } = parseNameText(text)
    return fleetKey(set, namespace, name)
  })

/**
 * Objects without a namespace that concern several keys when they come, go or change: namespaces, and the
 * properties of a cluster.
 * @param contentOf the same as long as nothing changes that counts
 * @param changesBy the changes of all keys that one of them concerns, by its name
 */
function createMetadataIndex(
  contentOf: (metadata: WatchedMetadata) => string,
  changesBy: (name: string) => Change[],
) {
  const table = createObjectTable<string>()
  return {
    get isListed() {
      return table.isListed()
    },
    get size() {
      return table.size()
    },
    listing: table.listing,
    put(object: ApiObject): Change[] {
      const metadata = readMetadata(object)
      if (metadata === undefined) return []
      const { name } = metadata
      const [before, after] = [table.get(name), contentOf(metadata)]
      table.set(name, after)
      return before === after ? [] : changesBy(name)
    },
    remove(object: ApiObject): Change[] {
      const name = readMetadata(object)?.name
      if (name === undefined || table.get(name) === undefined) return []
      table.delete(name)
      return changesBy(name)
    },
    listed: () => table.listed().flatMap(([name]) => changesBy(name)),
    bookmark: () => undefined,
  }
}
