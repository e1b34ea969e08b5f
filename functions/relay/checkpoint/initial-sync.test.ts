import { beforeEach, describe, expect, it } from 'vitest'
import { settle } from '../relay.fixtures.ts'
import type { AcceptedKeys } from './checkpoint.ts'
import { createInitialSync, type KnownKeys } from './initial-sync.ts'

const ACCEPTED: AcceptedKeys = new Map()

describe('the start of a cluster', () => {
  let known: KnownKeys[]
  let checkpoint: PromiseWithResolvers<KnownKeys>
  let end: AbortController
  let hasResolved: boolean

  beforeEach(() => {
    known = []
    checkpoint = Promise.withResolvers()
    end = new AbortController()
    hasResolved = false
  })

  function start(hasCheckpoint = true): ReturnType<typeof createInitialSync> {
    const sync = createInitialSync({
      kinds: ['services', 'pods'],
      ...(hasCheckpoint && {
        checkpointFile: {
          read: () => checkpoint.promise,
          write: async () => undefined,
          discard: async () => undefined,
        },
      }),
      without: 'there is no directory',
      signal: end.signal,
      onSynced: (what) => void known.push(what),
    })
    void sync.synced.then(() => {
      hasResolved = true
    })
    return sync
  }

  it.each([
    ['the lists', ['services', 'pods', 'checkpoint'] as const],
    ['its checkpoint', ['checkpoint', 'pods', 'services'] as const],
    ['one of the lists', ['pods', 'checkpoint', 'services'] as const],
  ])('is over when all is known, once, %s first', async (_, order) => {
    const sync = start()
    for (const what of order) {
      expect([sync.hasSynced(), known, hasResolved]).toEqual([false, [], false])
      if (what === 'checkpoint') checkpoint.resolve({ keys: ACCEPTED })
      else sync.listed(what)
      await settle()
    }
    expect([sync.hasSynced(), known, hasResolved]).toEqual([true, [{ keys: ACCEPTED }], true])
    for (const kind of ['services', 'pods'] as const) sync.listed(kind)
    expect(known).toHaveLength(1)
  })

  it('says why there is no checkpoint to go by', async () => {
    const sync = start(false)
    for (const kind of ['services', 'pods'] as const) sync.listed(kind)
    await settle()
    expect(known).toEqual([{ problem: 'there is no directory' }])
  })

  it('does not go by a checkpoint of before an outage', async () => {
    const sync = start()
    checkpoint.resolve({ keys: ACCEPTED })
    sync.listed('services')
    sync.interrupted()
    await settle()
    sync.listed('pods')
    expect(known).toEqual([{ problem: 'the cluster could not be reached for a while' }])
  })

  it('reports nothing once the relay ends', async () => {
    const sync = start()
    checkpoint.resolve({ keys: ACCEPTED })
    sync.listed('services')
    await settle()
    end.abort()
    sync.listed('pods')
    await settle()
    expect([known, hasResolved]).toEqual([[], false])
  })
})
