import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectsAt } from '../../apimachinery/json/values.ts'
import { finalizersOf, type KubeObject } from '../../apimachinery/objects.ts'
import { ModelServer, RESOURCES } from '../testing/model-server.ts'
import { GarbageCollector } from './garbage-collector.ts'
import { ownersOf } from './owner-graph.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const index = fc.nat(50)
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('adopt' as const), index, by: index }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      of: fc.nat(1),
      name: fc.nat(5),
      owners: fc.array(fc.record({ index, blocks: fc.boolean() }), { maxLength: 3 }),
      unknown: fc.nat(9),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('remove' as const),
      index,
      policy: fc.constantFrom('Foreground' as const, 'Background' as const, 'Orphan' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('tell' as const),
      of: fc.nat(1),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('fail' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), turns: fc.integer({ min: 1, max: 4 }) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const pick = (objects: readonly KubeObject[], at: number): KubeObject | undefined =>
  objects[at % Math.max(objects.length, 1)]
const referTo = ({ apiVersion, kind, metadata }: KubeObject, blockOwnerDeletion: boolean): JsonObject => ({
  apiVersion: apiVersion ?? '',
  kind: kind ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  blockOwnerDeletion,
})
/** Owners are older than what they own: there are no circles. */
const revisionOf = (object: KubeObject | undefined): number => Number(object?.metadata.uid?.slice(4))
const ownerReferencesOf = ({ metadata }: KubeObject): JsonObject[] => objectsAt(metadata, 'ownerReferences')
const NOWHERE = { apiVersion: 'nowhere.example.com/v1', kind: 'Nothing', name: 'n', uid: 'n' }

const hasUnknownOwner = (object: KubeObject): boolean =>
  ownersOf(object).some(({ kind }) => kind === NOWHERE.kind)
const finalizesInForeground = (object: KubeObject): boolean =>
  finalizersOf(object).includes('foregroundDeletion')

/**
 * Waits in the foreground for a dependent that blocks it and about which nobody can decide, itself or through
 * others. It stays, as with upstream's: that fails to find the owner's kind, and tries again for ever.
 */
const isHeld = (server: ModelServer, object: KubeObject): boolean =>
  finalizesInForeground(object) &&
  server.objects.some(
    (dependent) =>
      ownersOf(dependent).some(
        ({ uid, blockOwnerDeletion }) => uid === object.metadata.uid && blockOwnerDeletion,
      ) &&
      (isHeld(server, dependent) || (isLiving(dependent) && hasUnknownOwner(dependent))),
  )

/** Dependents, by uid, whose only owner was removed by orphaning. They must be left. */
class Orphans {
  readonly uids = new Set<string>()

  removed(server: ModelServer, object: KubeObject, policy: string): void {
    this.uids.delete(object.metadata.uid ?? '')
    if (policy !== 'Orphan') return
    for (const other of server.objects) {
      const owners = ownersOf(other)
      const isOrphaned = owners.length > 0 && owners.every(({ uid }) => uid === object.metadata.uid)
      if (isOrphaned && !other.metadata.deletionTimestamp) this.uids.add(other.metadata.uid ?? '')
    }
  }
}

const isLiving = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined
const living = (server: ModelServer): KubeObject[] => server.objects.filter(isLiving)

function create(server: ModelServer, next: Extract<Step, { do: 'create' }>): void {
  const name = `n${next.name}`
  const of = RESOURCES[next.of]
  const isTaken = server.objects.some(({ kind, metadata }) => kind === of?.kind && metadata.name === name)
  if (of === undefined || isTaken) return
  const owners = next.owners.flatMap(({ index: at, blocks }) => {
    const owner = pick(living(server), at)
    return owner ? [referTo(owner, blocks)] : []
  })
  server.add(of, name, next.unknown === 0 ? [...owners, NOWHERE] : owners)
}

function adopt(server: ModelServer, orphans: Orphans, next: Extract<Step, { do: 'adopt' }>): void {
  const object = pick(living(server), next.index)
  const older = living(server).filter((other) => revisionOf(other) < revisionOf(object))
  const owner = pick(older, next.by)
  if (object === undefined || owner === undefined) return
  orphans.uids.delete(object.metadata.uid ?? '')
  server.own(object, [...ownerReferencesOf(object), referTo(owner, false)])
}

async function take(server: ModelServer, orphans: Orphans, next: Step): Promise<void> {
  switch (next.do) {
    case 'create':
      return create(server, next)
    case 'remove': {
      const object = pick(living(server), next.index)
      if (object === undefined) return
      // As upstream's, the collector cannot know of dependents without an event.
      if (next.policy === 'Orphan') server.tellAll()
      orphans.removed(server, object, next.policy)
      return server.remove(object, next.policy)
    }
    case 'adopt':
      return adopt(server, orphans, next)
    case 'tell':
      return server.tell(RESOURCES[next.of]?.plural ?? '', next.count)
    case 'fail':
      server.failures += next.count
      return
    case 'wait':
      for (let turn = 0; turn < next.turns; turn++) await setImmediate()
  }
}

/** Waits until nothing is left to do, not even after the pauses that follow failures. */
async function settle(server: ModelServer): Promise<void> {
  server.failures = 0
  for (let quiet = 0; quiet < 4; quiet++) {
    if (!server.isTold || server.running > 0) quiet = 0
    server.tellAll()
    for (let turn = 0; turn < 4; turn++) await setImmediate()
    if (server.running === 0) await vi.advanceTimersByTimeAsync(60_000)
  }
}

it('deletes all garbage and nothing else, despite late events, failures and concurrent writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const server = new ModelServer()
      const orphans = new Orphans()
      const collector = new GarbageCollector(server, () => undefined)
      collector.start()
      for (const next of steps) await take(server, orphans, next)
      await settle(server)
      collector.stop()
      expect(server.wrongDeletions).toEqual([])
      for (const uid of orphans.uids) expect(server.find(uid), uid).toBeDefined()
      for (const object of server.objects) {
        const owners = ownersOf(object)
        const isGarbage = owners.length > 0 && owners.every(({ uid }) => server.find(uid) === undefined)
        const text = JSON.stringify(object)
        const held = isHeld(server, object)
        if (!hasUnknownOwner(object) && !held) expect(isGarbage, text).toBe(false)
        expect(finalizesInForeground(object), text).toBe(held)
        expect(finalizersOf(object), text).not.toContain('orphan')
      }
    }),
    { numRuns: 300 },
  )
}, 60_000)

it('leaves alone what somebody adopts just before it would be deleted', async () => {
  const server = new ModelServer()
  const [roots] = RESOURCES
  if (roots === undefined) throw new Error('there is no resource')
  const named = (name: string): KubeObject | undefined =>
    server.objects.find(({ metadata }) => metadata.name === name)
  server.add(roots, 'stays', [])
  server.add(roots, 'child', [{ ...NOWHERE, apiVersion: 'v1', kind: 'Root' }])
  server.before = (verb) => {
    const [child, owner] = [named('child'), named('stays')]
    if (verb !== 'delete' || child === undefined || owner === undefined) return
    server.before = undefined
    server.own(child, [...ownerReferencesOf(child), referTo(owner, false)])
  }
  const collector = new GarbageCollector(server, () => undefined)
  collector.start()
  await settle(server)
  collector.stop()
  expect(named('child')?.metadata.ownerReferences).toMatchObject([{ name: 'stays' }])
})
