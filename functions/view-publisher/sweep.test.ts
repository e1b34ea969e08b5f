import { describe, expect, it } from 'vitest'
import type { ServiceKey } from '../../shared/changes/index.ts'
import type { QueueSender } from '../../shared/queue/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { SweepError, sweepPublications } from './sweep.ts'

const keys = Array.from(
  { length: 1_201 },
  (_, index): ServiceKey => ({ cluster: 'a', namespace: 'shop', service: `s${index}` }),
)
const store = {
  async *keys() {
    yield* keys
  },
}

describe('a sweep of publications', () => {
  it('sends every key, a bounded number at a time', async () => {
    const batches: (readonly ServiceKey[])[] = []
    const sender: QueueSender = {
      send: async (messages) => {
        batches.push(messages)
        return { accepted: messages, rejected: [], unsent: [] }
      },
    }
    expect(await sweepPublications({ store, sender, logger: SILENT_LOG })).toBe(1_201)
    expect(batches.flat()).toEqual(keys.map((key) => ({ ...key, audit: true })))
    expect(batches.map(({ length }) => length)).toEqual([500, 500, 201])
  })

  it('fails where the queue does not take all, after it has tried every key', async () => {
    let sent = 0
    const sender: QueueSender = {
      send: async ([first, ...rest]) => {
        sent += rest.length
        return { accepted: rest, rejected: [], unsent: first === undefined ? [] : [first] }
      },
    }
    const swept = sweepPublications({ store, sender, logger: SILENT_LOG })
    await expect(swept).rejects.toThrow(SweepError)
    await expect(swept).rejects.toThrow('failed to send 3 of 1201 keys')
    expect(sent).toBe(1_198)
  })

  it('fails where its time is over before it has read every key', async () => {
    const ending = new AbortController()
    const sender: QueueSender = {
      send: async (messages) => {
        ending.abort()
        return { accepted: messages, rejected: [], unsent: [] }
      },
    }
    const swept = sweepPublications({ store, sender, logger: SILENT_LOG, signal: ending.signal })
    await expect(swept).rejects.toThrow('failed to read all published keys in time: sent 500 of them')
  })

  it('names the first key that the queue refuses, and says why', async () => {
    const sender: QueueSender = {
      send: async (messages) => {
        const rejected = messages.map((item) => ({ item, code: 'MalformedMessage', reason: 'no name' }))
        return { accepted: [], rejected, unsent: [] }
      },
    }
    await expect(sweepPublications({ store, sender, logger: SILENT_LOG })).rejects.toThrow(
      /^failed to send 1201 of 1201 keys to the queue; a\/shop\/s0: no name$/,
    )
  })
})
