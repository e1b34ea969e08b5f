import { describe, expect, it } from 'vitest'
import { writerName, writerOf } from '../changes/index.ts'
import { EVENTS, PODS, SERVICES } from '../kubernetes/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import { contentDigest, parseSettings, type SettingsInput } from '../settings/index.ts'
import { createLogger, SILENT_LOG } from '../telemetry/index.ts'
import { SliceFightError } from './guards/fights/fights.ts'
import { KEY, type MemoryCluster, webPod, webService } from './memory-cluster.fixtures.ts'
import { slices } from './reconcile-service.fixtures.ts'
import { createReconciler } from './reconcile-service.ts'
import { addresses, withNode } from './sync/sync-service.fixtures.ts'

const MODE: SettingsInput = { mode: 'replace', managedBy: 'sliceflow.dev' }
/** Each one’s pods have an address that the other one refuses. */
const REFUSES_FIRST: SettingsInput = { ...MODE, refusedAddresses: '10.0.0.1/32' }
const REFUSES_SECOND: SettingsInput = { ...MODE, refusedAddresses: '10.0.0.2/32' }

interface Pair {
  readonly cluster: MemoryCluster
  /** Has them sync once a second for so long; returns the slices written and the fights. */
  play(
    seconds: number,
    those?: readonly number[],
  ): Promise<{ writes: number; fights: readonly SliceFightError[] }>
}

function open(...inputs: readonly SettingsInput[]): Pair {
  const cluster = withNode()
  cluster.put(SERVICES, webService())
  for (const number of [1, 2]) cluster.put(PODS, webPod(number))
  let now = Date.UTC(2026, 0, 1)
  const failures: unknown[] = []
  const processes = inputs.map((input) =>
    createReconciler({
      clientOf: () => cluster.client,
      settings: parseSettings(input),
      logger: SILENT_LOG,
      onFailed: (_, error) => void failures.push(error),
      clock: { now: () => now, pause: async () => undefined },
    }),
  )
  const { signal } = new AbortController()
  return {
    cluster,
    async play(seconds, those = inputs.keys().toArray()) {
      failures.length = 0
      cluster.calls.length = 0
      for (let second = 0; second < seconds; second++) {
        for (const handle of processes.filter((_, index) => those.includes(index)))
          await handle({ ...KEY, messageIds: [] }, { signal, sentTimestamp: now, receiveCount: 1 }).catch(
            () => {},
          )
        now += 1_000
      }
      const fights = failures.map((error) => {
        if (error instanceof SliceFightError) return error
        throw error
      })
      const writes = cluster.calls.filter((call) => /^(create|update|delete) endpointslices/.test(call))
      return { writes: writes.length, fights }
    },
  }
}

const fightEvents = (cluster: MemoryCluster): string[] =>
  cluster.all(EVENTS).flatMap(({ reason, message = '' }) => (reason === 'SliceFight' ? [message] : []))

describe('two Sliceflows with other settings', () => {
  it('rewrite each other five times, and say so, instead of for ever', async () => {
    const { cluster, play } = open(REFUSES_FIRST, REFUSES_SECOND)
    const first = await play(60)
    expect(first.writes).toBeGreaterThan(5)
    expect(first.writes).toBeLessThan(20)
    expect(first.fights[0]?.message).toMatch(
      /another Sliceflow \(writer [-\w]{8}\) with other settings or other ids of clusters keeps undoing it/,
    )
    expect(fightEvents(cluster)[0]).toContain('give both the same settings')
    const later = await play(600)
    expect(later.writes).toBeLessThan(20)
  })

  it('publish a real change at once all the same', async () => {
    const { cluster, play } = open(REFUSES_FIRST, REFUSES_SECOND)
    await play(60)
    for (const number of [3, 4, 5]) {
      cluster.put(PODS, webPod(number))
      await play(1)
      expect(addresses(cluster)).toContain(`10.0.0.${number}`)
    }
  })
})

describe('a Sliceflow that shares the queue of another one', () => {
  const ours = writerName(contentDigest(parseSettings(MODE)))

  it.each<SettingsInput>([
    { ...MODE, managedBy: 'other.example' },
    { ...MODE, shadow: true },
  ])('warns of keys that go by other settings, once in 10 minutes: %j', async (input) => {
    const cluster = withNode()
    cluster.put(SERVICES, webService())
    const lines: Record<string, unknown>[] = []
    let now = Date.UTC(2026, 0, 1)
    const reconcile = createReconciler({
      clientOf: () => cluster.client,
      settings: parseSettings(input),
      logger: createLogger({ write: (line) => void lines.push(JSON.parse(line)) }),
      clock: { now: () => now, pause: async () => undefined },
    })
    const { signal } = new AbortController()
    const handle = (key: Partial<KeyMessage>) =>
      reconcile({ ...KEY, messageIds: [], ...key }, { signal, sentTimestamp: now, receiveCount: 1 })
    const own = writerName(contentDigest(parseSettings(input)))
    for (const key of [{}, { writer: own }, { writer: ours }, { writer: ours }]) await handle(key)
    const warnings = () => lines.filter(({ msg }) => String(msg).startsWith('a relay with other settings'))
    expect(warnings()).toMatchObject([{ level: 'warn', service: KEY.service, sender: ours, writer: own }])
    now += 10 * 60_000 + 1
    await handle({ writer: ours })
    expect(warnings()).toHaveLength(2)
  })
})

describe('a Sliceflow that is started with other settings', () => {
  it('writes once what they change, and says nothing', async () => {
    const { cluster, play } = open(MODE)
    await play(2)
    const [before] = slices(cluster).map(writerOf)
    const after = createReconciler({
      clientOf: () => cluster.client,
      settings: parseSettings(REFUSES_FIRST),
      logger: SILENT_LOG,
      clock: { now: () => Date.UTC(2026, 0, 2), pause: async () => undefined },
    })
    const { signal } = new AbortController()
    cluster.calls.length = 0
    for (let count = 0; count < 10; count++)
      await after({ ...KEY, messageIds: [] }, { signal, sentTimestamp: count, receiveCount: 2 })
    expect(addresses(cluster)).toEqual(['10.0.0.2'])
    expect(cluster.calls.filter((call) => call.startsWith('update endpointslices'))).toHaveLength(1)
    expect(fightEvents(cluster)).toEqual([])
    const [name] = slices(cluster).map(writerOf)
    expect(name).not.toBe(before)
  })

  it.each([2, 3])('shares its work with %i like it, and a pod that flaps never waits', async (count) => {
    const { cluster, play } = open(...Array.from({ length: count }, () => MODE))
    await play(1)
    for (let flap = 0; flap < 20; flap++) {
      cluster.put(PODS, webPod(1, flap % 2 === 1))
      const { writes, fights } = await play(1)
      expect([writes, fights.length]).toEqual([1, 0])
    }
  })
})
