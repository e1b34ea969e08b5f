import { describe, expect, it } from 'vitest'
import { LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import type { QueueSender } from '../../shared/queue/index.ts'
import { never, soon, useRelays } from './relay.fixtures.ts'

/** Makes a slice of a Service, without a manager. */
const slice = (name: string, service: string) => ({
  metadata: { namespace: 'shop', name, labels: { [LABEL_SERVICE_NAME]: service } },
})

describe('a relay with a queue of the view publisher', () => {
  const scene = useRelays()
  const { client, shop, start } = scene

  function createSender() {
    const sent: string[] = []
    const sender: QueueSender = {
      async send(keys) {
        sent.push(...keys.map(({ cluster, service }) => `${cluster} ${service}`))
        return { accepted: keys, rejected: [], unsent: [] }
      },
    }
    return {
      sender,
      taken: () => sent.splice(0).sort(),

      untilSent: (...keys: string[]) => expect.poll(() => [...new Set(sent)].sort()).toEqual(keys),
    }
  }
  /** Waits for the four watches of a relay and the two of the feed. */
  const watched = (name: string) => scene.watching(name, 6)

  it('sends it the keys of each of its clusters, for as long as it follows them', async () => {
    const [a] = [shop('a'), shop('b')]
    const [first, second] = [client('a'), client('b')]
    const feed = createSender()
    const relay = start([], {}, {}, { viewPublisher: feed.sender })
    await relay.follow([first, second], soon())
    await Promise.all([watched('a'), watched('b')])
    await feed.untilSent('a api', 'a web', 'b api', 'b web')
    await relay.follow([first], soon())
    await expect.poll(() => scene.server.watchers('b')).toBe(0)
    feed.taken()
    a.put('endpointslices', slice('foreign-1', 'web'))
    await feed.untilSent('a web')
  })

  it('sends it a key once within the coalescing window, and at its end what waits', async () => {
    const a = shop('a')
    const feed = createSender()
    const relay = start(['a'], { coalescingWindow: 10 }, {}, { viewPublisher: feed.sender })
    await watched('a')
    await feed.untilSent('a api', 'a web')
    feed.taken()
    for (const name of ['x', 'y', 'z']) a.put('endpointslices', slice(name, 'web'))
    a.put('services', { metadata: { namespace: 'shop', name: 'till' } })
    await feed.untilSent('a till')
    expect(await relay.stop(never)).toBe(0)
    expect(feed.taken()).toEqual(['a api', 'a till', 'a web'])
  })
})
