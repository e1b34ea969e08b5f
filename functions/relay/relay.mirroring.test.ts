import { describe, expect, it } from 'vitest'
import { service, soon, useRelays } from './relay.fixtures.ts'

const ON = { mirrorEndpoints: true }
const plain = (name: string) => ({ metadata: { ...service(name).metadata, annotations: {} }, spec: {} })
const endpoints = (name: string, more = {}) => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}-endpoints`, ...more },
})

describe('a relay of Endpoints that are mirrored', () => {
  const scene = useRelays()
  const { cluster, start, untilSent } = scene

  it('sends the keys of Services with Endpoints at its first start, and changes from then on', async () => {
    const a = cluster('a')
    for (const name of ['db', 'idle']) a.put('services', plain(name))
    a.put('endpoints', endpoints('db'))
    const relay = start(['a'], ON)
    await relay.synced
    await untilSent('sweep a/shop/db')
    // A watch does not bring what happened before it was opened.
    await scene.watching('a', 5)
    scene.queue.taken()
    a.put('endpoints', endpoints('db', { labels: { team: 'shop' } }))
    await untilSent('live a/shop/db')
    scene.queue.taken()
    a.put('endpoints', endpoints('idle'))
    await untilSent('live a/shop/idle')
    expect(scene.queue.messages.at(-1)?.hint).toBeUndefined()
  })

  it('sends after a restart what changed meanwhile, and nothing of what did not', async () => {
    const a = cluster('a')
    for (const name of ['db', 'other']) {
      a.put('services', plain(name))
      a.put('endpoints', endpoints(name))
    }
    const first = start(['a'], ON)
    await first.synced
    await untilSent('sweep a/shop/db', 'sweep a/shop/other')
    await first.stop(soon())
    scene.queue.taken()
    a.put('endpoints', endpoints('db', { labels: { team: 'shop' } }))
    const second = start(['a'], ON)
    await second.synced
    await untilSent('sweep a/shop/db')
    expect(scene.queue.taken()).toEqual(['sweep a/shop/db'])
  })
})
