import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type ClusterSet,
  type ClusterSetMember,
  fleetKey,
  membersDigest,
} from '../../shared/cluster-sets/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { createDeployedReconcile } from './reconcile.ts'

const KEY = fleetKey('prod', 'shop', 'web')
const EU: ClusterSetMember = { cluster: 'eu', id: 'eu', role: 'both' }
const US: ClusterSetMember = { cluster: 'us', id: 'us', role: 'both' }
const digestOf = (...members: readonly ClusterSetMember[]): string => membersDigest({ members })

describe('the function, before it reconciles a key', () => {
  /** Members as a search finds them, and as the function knows them. */
  let found: readonly ClusterSetMember[]
  let known: readonly ClusterSetMember[]
  /** Searches: the greatest age of what is known, or the cluster. */
  let searches: (number | string)[]

  beforeEach(() => {
    found = [EU]
    known = [EU]
    searches = []
  })

  async function open() {
    const sets = (): ClusterSet[] => [{ name: 'prod', members: known, namespaces: ['shop'] }]
    const ending = new AbortController()
    onTestFinished(() => ending.abort())
    const reconcile = await createDeployedReconcile({
      clusters: {
        async meet(cluster) {
          searches.push(cluster)
        },
        async meetAll(age) {
          searches.push(age)
          if (age === 0) known = found
        },
      },
      sets,
      common: {
        clientOf: () => {
          throw new Error('nobody can be reached')
        },
        settings: parseSettings({}),
        logger: SILENT_LOG,
      },
      recorder: undefined,
    })
    /** Processes a message, and returns the searches that it needed. */
    return async (digest?: string, key = KEY): Promise<(number | string)[]> => {
      const message = { ...key, messageIds: [], ...(digest !== undefined && { membersDigest: digest }) }
      const context = { signal: ending.signal, sentTimestamp: 0, receiveCount: 1 }
      await expect(reconcile(message, context)).rejects.toThrow(/nobody can be reached|two sets claim it/)
      return searches.splice(0)
    }
  }

  it('looks for a cluster that it does not know, or for all of a set once a minute', async () => {
    const reconcile = await open()
    expect(await reconcile(undefined, { cluster: 'eu', namespace: 'shop', service: 'web' })).toEqual(['eu'])
    expect(await reconcile()).toEqual([60_000])
    expect(await reconcile(digestOf(EU))).toEqual([60_000])
  })

  it('looks for all of them at once where the relay knows of another member', async () => {
    const reconcile = await open()
    found = [EU, US]
    expect(await reconcile(digestOf(EU, US))).toEqual([60_000, 0])
    expect(known).toEqual([EU, US])
    expect(await reconcile(digestOf(US, EU))).toEqual([60_000])
  })

  it.each<[what: string, member: ClusterSetMember]>([
    ['role', { ...EU, role: 'leave' }],
    ['id', { ...EU, id: 'e' }],
    ['problem', { ...EU, problem: 'two sets claim it' }],
  ])('does so where a member has another %s by now', async (_, member) => {
    const reconcile = await open()
    found = [member]
    expect(await reconcile(digestOf(member))).toEqual([60_000, 0])
  })

  it('searches once, and not at each key, while it is the relay that is late', async () => {
    const reconcile = await open()
    known = [EU, US]
    found = [EU, US]
    expect(await reconcile(digestOf(EU))).toEqual([60_000, 0])
    expect(await reconcile(digestOf(EU))).toEqual([60_000])
    // The relay has found out; then the cluster goes again, and this time the function is late.
    expect(await reconcile(digestOf(EU, US))).toEqual([60_000])
    found = [EU]
    expect(await reconcile(digestOf(EU))).toEqual([60_000, 0])
    expect(known).toEqual([EU])
  })

  it.each<[what: string, digests: readonly string[]]>([
    ['of which one is late', [digestOf(EU, US), digestOf(EU)]],
    ['both of which are late', [digestOf(US), digestOf(EU)]],
    ['each of which says another digest', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
  ])('searches twice a minute beside relays that disagree, %s', async (_, digests) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const reconcile = await open()
    known = [EU, US]
    found = [EU, US]
    const searchesOf = async (): Promise<number> => {
      let count = 0
      for (let round = 0; round < 20; round++)
        for (const digest of digests) count += (await reconcile(digest)).filter((age) => age === 0).length
      return count
    }
    expect(await searchesOf()).toBe(2)
    vi.advanceTimersByTime(60_000)
    expect(await searchesOf()).toBe(2)
    // A clock that is set back.
    vi.setSystemTime(Date.now() - 3_600_000)
    expect(await searchesOf()).toBe(2)
    // What the search shows is taken up all the same.
    vi.advanceTimersByTime(60_000)
    found = [US]
    await reconcile(digestOf(US))
    expect(known).toEqual([US])
  })
})
