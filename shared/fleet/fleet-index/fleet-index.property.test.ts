import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Change } from '../../changes/index.ts'
import { exportsServices, fleetKey, holdsImports } from '../../cluster-sets/index.ts'
import { LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../../endpointslice/index.ts'
import type { ApiObject } from '../../kubernetes/index.ts'
import {
  createFleetIndex,
  derivedServiceName,
  type FleetIndex,
  LABEL_CLUSTER_SET,
  LABEL_IMPORT_NAME,
} from '../index.ts'
import {
  derivedObject,
  importedSlice,
  importObject,
  member,
  namespaceObject,
  object,
  setOf,
  sliceObject,
} from './fleet-index.fixtures.ts'
import type { FleetKind } from './member-index.ts'

const SET = setOf(member('a'), member('b', 'export'), member('c', 'import'), member('d', 'leave'))
const NAMES = ['web', 'api', derivedServiceName('shop', 'web')]

/** Objects of the clusters, by cluster, kind and name. */
type World = Map<string, Map<string, ApiObject>>

const name = fc.constantFrom(...NAMES)
const sliceName = fc.constantFrom('s-1', 's-2', 's-3')
const objects: fc.Arbitrary<readonly [FleetKind, (version: string) => ApiObject]> = fc.oneof(
  name.map((of) => ['exports', (version: string) => object({ name: of, version })] as const),
  name.map((of) => ['imports', (version: string) => importObject({ name: of, version })] as const),
  name.map((of) => ['imports', (version: string) => object({ name: of, version })] as const),
  name.map((of) => ['services', (version: string) => object({ name: of, version })] as const),
  name.map((of) => ['services', (version: string) => derivedObject({ name: of, version })] as const),
  fc
    .tuple(sliceName, name)
    .map(
      ([of, service]) =>
        ['slices', (version: string) => sliceObject({ name: of, version }, service)] as const,
    ),
  fc
    .tuple(sliceName, name)
    .map(
      ([of, service]) =>
        ['slices', (version: string) => importedSlice({ name: of, version }, service)] as const,
    ),
  fc.constant(['namespaces', (version: string) => namespaceObject('shop', version)] as const),
)

interface Step {
  readonly cluster: string
  readonly kind: FleetKind
  readonly make: (version: string) => ApiObject
  /** Change that the cluster makes. */
  readonly act: 'put' | 'remove'
  /** Whether the watch tells, or a list later does, or the relay was started again. */
  readonly reported: 'event' | 'list' | 'restart' | 'twice'
}

const steps: fc.Arbitrary<Step> = fc
  .record({
    cluster: fc.constantFrom('a', 'b', 'c', 'd'),
    of: objects,
    act: fc.constantFrom('put', 'put', 'remove'),
    reported: fc.constantFrom('event', 'event', 'event', 'list', 'restart', 'twice'),
  })
  .map(({ of: [kind, make], ...step }): Step => ({ ...step, kind, make }) as Step)

const idOf = ({ metadata }: ApiObject): string => metadata?.name ?? ''
const placeOf = (cluster: string, kind: FleetKind): string => `${cluster}/${kind}`

function list(index: FleetIndex, world: World, cluster: string, kind: FleetKind): Change[] {
  const objectsOf = index.members.get(cluster)?.kinds.get(kind)
  objectsOf?.listing()
  const changes = [...(world.get(placeOf(cluster, kind))?.values() ?? [])].flatMap(
    (each) => objectsOf?.put(each) ?? [],
  )
  return [...changes, ...(objectsOf?.listed() ?? [])]
}

function startedIndex(world: World): FleetIndex {
  const index = createFleetIndex(SET)
  for (const [cluster, { kinds }] of index.members)
    for (const kind of kinds.keys()) list(index, world, cluster, kind)
  return index
}

/** Finds the answers of the index by reading everything. */
function lookedUp(world: World, service: string) {
  const labelOf = (each: ApiObject, label: string): unknown =>
    (each.metadata as { labels?: Record<string, unknown> } | undefined)?.labels?.[label]
  let isKnown = false
  const versions = SET.members.map((each) => {
    const all = (kind: FleetKind): ApiObject[] => [
      ...(world.get(placeOf(each.cluster, kind))?.values() ?? []),
    ]
    const one = (kind: FleetKind, called: string): ApiObject | undefined =>
      all(kind).find((candidate) => idOf(candidate) === called)
    const isImported = (slice: ApiObject): boolean => labelOf(slice, LABEL_MANAGED_BY) !== undefined
    const exported = exportsServices(each) ? one('exports', service) : undefined
    const imported = holdsImports(each)
      ? all('slices').filter((slice) => isImported(slice) && labelOf(slice, LABEL_IMPORT_NAME) === service)
      : []
    const importing = holdsImports(each) ? one('imports', service) : undefined
    const derived = holdsImports(each) ? one('services', derivedServiceName('shop', service)) : undefined
    const isOurs = [importing, derived].some((own) => own && labelOf(own, LABEL_CLUSTER_SET) === SET.name)
    isKnown ||= exported !== undefined || imported.length > 0 || isOurs
    const slices = all('slices').filter(
      (slice) => !isImported(slice) && labelOf(slice, LABEL_SERVICE_NAME) === service,
    )
    const named = (some: ApiObject[]): object =>
      Object.fromEntries(some.map((slice) => [idOf(slice), slice.metadata?.resourceVersion]))
    const found = {
      export: exported?.metadata?.resourceVersion,
      service: exported && one('services', service)?.metadata?.resourceVersion,
      slices: exported && slices.length > 0 ? named(slices) : undefined,
      import: importing?.metadata?.resourceVersion,
      derived: derived?.metadata?.resourceVersion,
      imported: imported.length > 0 ? named(imported) : undefined,
    }
    return [each.cluster, JSON.parse(JSON.stringify(found))] as const
  })
  return { isKnown, versions: Object.fromEntries(versions) }
}

/**
 * Makes a change in the cluster and tells the index of it. Returns undefined of a start, which tells of no
 * change.
 */
function play(index: FleetIndex, world: World, { cluster, kind, act, reported }: Step, made: ApiObject) {
  const place = world.get(placeOf(cluster, kind)) ?? new Map<string, ApiObject>()
  world.set(placeOf(cluster, kind), place)
  if (act === 'put') place.set(idOf(made), made)
  else place.delete(idOf(made))
  if (reported === 'restart') return undefined
  if (reported === 'list') return list(index, world, cluster, kind)
  const tell = (): Change[] => index.members.get(cluster)?.kinds.get(kind)?.[act](made) ?? []
  const changes = tell()
  if (reported === 'twice') expect(tell()).toEqual([])
  return changes
}

function checkAgainst(index: FleetIndex, world: World): void {
  for (const name of NAMES) {
    const now = lookedUp(world, name)
    expect(index.versions(fleetKey(SET.name, 'shop', name))).toEqual(now.versions)
    expect(index.keys().some(({ service }) => service === name)).toBe(now.isKnown)
  }
}

it('whatever comes, goes, is listed or started again, an index knows what there is, and tells each key of which it changes', () => {
  fc.assert(
    fc.property(fc.array(steps, { minLength: 1, maxLength: 40 }), (all) => {
      const world: World = new Map()
      let index = startedIndex(world)
      for (const [version, step] of all.entries()) {
        const before = NAMES.map((name) => lookedUp(world, name))
        const changes = play(index, world, step, step.make(String(version + 1)))
        if (changes === undefined) index = startedIndex(world)
        checkAgainst(index, world)
        const after = NAMES.map((name) => lookedUp(world, name))
        const changed = NAMES.filter(
          (_, at) => (before[at]?.isKnown || after[at]?.isKnown) && !isDeepStrictEqual(before[at], after[at]),
        )
        if (changes) expect(changes.map(({ service }) => service)).toEqual(expect.arrayContaining(changed))
      }
    }),
    { numRuns: 120 },
  )
})
