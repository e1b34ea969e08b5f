import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import { createApiClient } from '../../shared/kubernetes/index.ts'
import type { QueueSender } from '../../shared/queue/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'
import {
  connectionTo,
  createMemoryCluster,
  type ListWatchServer,
  type MemoryCluster,
  startListWatchServer,
} from '../../test/support/list-watch-server.ts'
import { type PublishFeed, startViewPublisherFeed } from './publish-feed.ts'
import { soon } from './relay.fixtures.ts'

describe('the feed of the view publisher', () => {
  let server: ListWatchServer
  let a: MemoryCluster
  let sent: string[]
  let lines: string[]

  beforeEach(async () => {
    server = await startListWatchServer(() => a)
    onTestFinished(() => server.close())
    a = createMemoryCluster((plural, line) => void server.send('a', plural, line))
    sent = []
    lines = []

    for (const name of ['web', 'api']) a.put('services', { metadata: { namespace: 'shop', name } })
  })

  const sender: QueueSender = {
    async send(keys) {
      sent.push(...keys.map(({ cluster, namespace, service }) => `${cluster}/${namespace}/${service}`))
      return { accepted: keys, rejected: [], unsent: [] }
    },
  }
  /** Makes a slice of any manager. */
  const slice = (name: string, service: string) => ({
    metadata: { namespace: 'shop', name, labels: { [LABEL_SERVICE_NAME]: service } },
  })
  function start(): PublishFeed {
    const feed = startViewPublisherFeed({
      client: createApiClient(connectionTo('a', server.address)),
      sender,
      logger: createLogger({ write: (line) => lines.push(JSON.parse(line).msg) }),
      windowMs: 0,
    })
    onTestFinished(async () => void (await feed.stop(soon())))
    return feed
  }
  const taken = (...keys: string[]): Promise<void> =>
    expect
      .poll(() => sent.toSorted())
      .toEqual(keys)
      .then(() => void sent.splice(0))
  const watching = (): Promise<void> => expect.poll(() => server.watchers('a')).toBe(2)

  it('sends every key at its start, and then that of each Service of which something comes, changes or goes', async () => {
    start()
    await taken('a/shop/api', 'a/shop/web')
    await watching()
    a.put('endpointslices', slice('web-1', 'web'))
    await taken('a/shop/web')
    a.put('endpointslices', slice('web-1', 'api'))
    await taken('a/shop/api', 'a/shop/web')
    a.remove('endpointslices', slice('web-1', 'api'))
    await taken('a/shop/api')
    a.remove('services', { metadata: { namespace: 'shop', name: 'web' } })
    await taken('a/shop/web')
  })

  it('reports an outage and its end, each time', async () => {
    start()
    await watching()
    const [began, ended] = [
      'cannot follow the cluster; its slices stay as they are',
      'watching the cluster again',
    ]
    const last = (line: string): Promise<void> => expect.poll(() => lines.at(-1)).toBe(line)
    for (let time = 0; time < 2; time++) {
      server.setDown(true)
      await last(began)
      server.setDown(false)
      await watching()
      await last(ended)
    }
  })
})
