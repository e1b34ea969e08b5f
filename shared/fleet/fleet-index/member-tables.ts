import { type ClusterVersions, SetMap } from '../../changes/index.ts'
import { type ClusterSetMember, exportsServices, holdsImports } from '../../cluster-sets/index.ts'
import { derivedServiceName } from '../import-owner.ts'
import {
  createVersionTable,
  type VersionChange,
  type VersionEntry,
  type VersionTable,
} from './version-table.ts'
import { type NameText, nameText, parseNameText } from './watched-metadata.ts'

/** Services of a set, by what objects of any member say. */
export interface SetServices {
  readonly known: KnownServices
  /** Those of exports that have selectors of clusters. */
  readonly selecting: KnownServices
}

/** The objects of one member, and the Services of the set that they belong to. */
export function createMemberTables(member: ClusterSetMember, { known, selecting }: SetServices) {
  const [exports, imports] = [createVersionTable(), createVersionTable()]
  const [services, slices] = [createVersionTable(), createVersionTable()]
  /** Slices by the Service that they belong to. */
  const slicesOf = new SetMap<NameText, NameText>()
  /** @param ofSelector whether its EndpointSelector is meant and not the Service */
  const isExported = (service: NameText, ofSelector = false): boolean => {
    const found = exports.get(service)
    return found !== undefined && (found.ofSelector ?? false) === ofSelector
  }

  /** Finds the Service that an entry belongs to; objects that are not of the member's role belong to none. */
  function serviceIn(table: VersionTable, entry: VersionEntry | undefined): NameText | undefined {
    if (entry?.isReason && table !== exports && !holdsImports(member)) return undefined
    if (table === slices && !entry?.isReason && !exportsServices(member)) return undefined
    return entry?.service
  }

  /** Yields the Services that a change concerns: none of a Service that its own cluster does not export. */
  function* concerned(table: VersionTable, { name, before, after }: VersionChange): Generator<NameText> {
    for (const entry of [before, after]) {
      const service = serviceIn(table, entry)
      if (
        service !== undefined &&
        (table !== slices || entry?.isReason || isExported(service, entry?.ofSelector))
      )
        yield service
    }
    if (table !== services) return
    if (isExported(name)) yield name
    // Also where a Service of others is in the way, or ours has lost its labels.
    const source = holdsImports(member) ? known.derivedFrom(name) : undefined
    if (source !== undefined) yield source
  }

  function relate(table: VersionTable, { name, before, after }: VersionChange): void {
    const [was, is] = [serviceIn(table, before), serviceIn(table, after)]
    if (is !== undefined) count(after, (services) => services.add(is))
    if (was !== undefined) count(before, (services) => services.remove(was))
    if (table !== slices) return
    if (was !== undefined) slicesOf.delete(was, name)
    if (is !== undefined) slicesOf.add(is, name)
  }

  function count(entry: VersionEntry | undefined, inOne: (services: KnownServices) => void): void {
    if (entry?.isReason) inOne(known)
    if (entry?.selects) inOne(selecting)
  }

  /** Returns the entries of the slices that are imported, or of those that are exported, by name. */
  const sliceEntries = (service: NameText, isImported: boolean): [string, VersionEntry | undefined][] =>
    [...slicesOf.get(service)]
      .map((name): [string, VersionEntry | undefined] => [parseNameText(name).name, slices.get(name)])
      .filter(([, entry]) =>
        isImported || entry?.isReason
          ? entry?.isReason === isImported
          : isExported(service, entry?.ofSelector),
      )

  return {
    exports,
    imports,
    services,
    slices,
    /** Takes in what happened in a table; the Services of the set whose keys it changes. */
    take(table: VersionTable, change: VersionChange): NameText[] {
      // One whose last trace goes was known before, one that begins is known after.
      const names = new Set(concerned(table, change))
      const were = [...names].filter(known.has)
      relate(table, change)
      return [...new Set([...were, ...[...names].filter(known.has)])]
    },
    /** Returns the names of the Services that the member exports. */
    exported: exports.names,
    /** Returns the versions of a Service's objects; undefined where one has no version that can be used. */
    versions(service: NameText): ClusterVersions | undefined {
      const single = {
        export: exports.get(service),
        service: isExported(service) ? services.get(service) : undefined,
        import: imports.get(service),
        derived: holdsImports(member) ? services.get(derivedOf(service)) : undefined,
      }
      return versionsOf(single, {
        slices: sliceEntries(service, false),
        imported: sliceEntries(service, true),
      })
    },
  }
}

type Named = readonly (readonly [name: string, entry: VersionEntry | undefined])[]

function versionsOf(
  single: Readonly<Record<string, VersionEntry | undefined>>,
  named: Readonly<Record<string, Named>>,
): ClusterVersions | undefined {
  const entries: Named = [...Object.entries(single), ...Object.values(named).flat()]
  if (entries.some(([, entry]) => entry !== undefined && entry.version === undefined)) return undefined
  const versions = (of: Named): object =>
    Object.fromEntries(of.flatMap(([name, entry]) => (entry ? [[name, entry.version]] : [])))
  const lists = Object.entries(named).filter(([, { length }]) => length > 0)
  return {
    ...versions(Object.entries(single)),
    ...Object.fromEntries(lists.map(([name, list]) => [name, versions(list)])),
  }
}

type KnownServices = ReturnType<typeof createKnownServices>

/**
 * Services of a set, each as long as an object of any cluster is a reason for it: those that are known, by
 * ServiceExports and what was imported, and those whose imports prefer clusters by their properties.
 */
export function createKnownServices() {
  const objects = new Map<NameText, number>()
  const derived = new Map<NameText, NameText>()
  return {
    has: (service: NameText): boolean => objects.has(service),
    /** Counts one more object that makes the Service known. */
    add(service: NameText): void {
      const count = objects.get(service) ?? 0
      objects.set(service, count + 1)
      if (count === 0) derived.set(derivedOf(service), service)
    },
    remove(service: NameText): void {
      const count = objects.get(service) ?? 0
      if (count > 1) objects.set(service, count - 1)
      else if (objects.delete(service)) derived.delete(derivedOf(service))
    },
    all: () => objects.keys(),
    /** Returns the Service whose derived Service has this name. */
    derivedFrom: (name: NameText): NameText | undefined => derived.get(name),
  }
}

/** Returns the name of a Service's derived Service. */
function derivedOf(service: NameText): NameText {
  const { namespace, name } = parseNameText(service)
  return nameText(namespace, derivedServiceName(namespace, name))
}
