import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { EndpointSlice, Service } from '../../shared/endpointslice/index.ts'
import type { SettingsInput } from '../../shared/settings/index.ts'
import { type MemoryCluster, watchLine } from '../../test/support/list-watch-server.ts'
import {
  NODE,
  placed,
  service as selecting,
  settle,
  until,
  useRelays,
  writeSlices,
} from './relay.fixtures.ts'

const WEB = 'live a/shop/web'
const API = 'live a/shop/api'

/** Makes a Service of one address type: a headless one has an empty slice of the other type as well. */
const service = (app: string): Service => ({
  ...selecting(app),
  spec: { clusterIP: '10.96.0.1', ipFamilies: ['IPv4'] },
})

describe('the live lane of a relay', () => {
  const scene = useRelays()
  const { metric, start } = scene
  let a: MemoryCluster
  /** Slices by Service. */
  let written: Map<string, EndpointSlice[]>

  function write(app: string, ip: string): void {
    written.set(app, writeSlices(a, service(app), ip, written.get(app)))
  }
  const changePod = (app: string, ip: string): void => a.put('pods', placed(app, ip))
  const received = (kind: string, events: number): Promise<void> =>
    until(async () => (await metric(`events_total{cluster="a",kind="${kind}"} ${events}`)).length === 1)
  const sent = (keys: number): Promise<void> => until(() => scene.queue.sent.length === keys)
  const pass = async (ms: number): Promise<void> => {
    vi.advanceTimersByTime(ms)
    await settle()
  }

  beforeEach(() => {
    // The clock as well: the duration of a sync must not depend on the machine.
    const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const
    vi.useFakeTimers({ toFake: [...timers, 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    a = scene.cluster('a')
    written = new Map()
    a.put('nodes', NODE)
    for (const app of ['web', 'api']) {
      a.put('services', service(app))
      changePod(app, '10.0.0.1')
      write(app, '10.0.0.1')
    }
  })

  async function follow(settings: SettingsInput): Promise<void> {
    const relay = start(['a'], settings)
    await relay.synced
    await until(() => scene.server.watchers('a') === 4)
    await sent(2)
    scene.queue.taken()
  }

  it('holds a changed key back until the slices of its last sync were written, or a sync must be over', async () => {
    await follow({ coalescingWindow: 'auto' })
    changePod('web', '10.0.0.2')
    await sent(1)
    changePod('web', '10.0.0.3')
    await received('pods', 2)
    await settle()
    expect(scene.queue.sent).toEqual([WEB])
    // The last sync saw the second address.
    write('web', '10.0.0.2')
    await received('slices', 1)
    await pass(1)
    expect(scene.queue.sent).toEqual([WEB, WEB])
    changePod('web', '10.0.0.4')
    await received('pods', 3)
    await pass(99)
    expect(scene.queue.sent).toEqual([WEB, WEB])
    // Looks are quick here: it is known by now.
    await pass(1)
    expect(scene.queue.sent).toEqual([WEB, WEB, WEB])
  })

  it('drops what a running sync has seen', async () => {
    await follow({ coalescingWindow: 'auto' })
    changePod('web', '10.0.0.2')
    await sent(1)
    changePod('web', '10.0.0.3')
    await received('pods', 2)
    write('web', '10.0.0.3')
    await received('slices', 1)
    await pass(10_000)
    expect(scene.queue.sent).toEqual([WEB])
    expect((await metric('keys_pending')).join()).toContain('lane="live"} 0')
    expect(scene.settled).toEqual(['web'])
  })

  it('sends the key of slices that a function wrote wrongly, when it wrote them, each time', async () => {
    await follow({ coalescingWindow: 0 })
    for (let time = 1; time <= 3; time++) {
      write('web', `10.6.6.${time}`)
      await received('slices', time)
      await pass(199)
      expect(scene.queue.sent).toHaveLength(time - 1)
      await pass(1)
      expect(scene.queue.sent).toEqual(Array(time).fill(WEB))
    }
  })

  it('sends it again after a list, as the Pod may have changed, been read and changed back before it', async () => {
    await follow({ coalescingWindow: 0 })
    write('web', '10.6.6.1')
    await received('slices', 1)
    await pass(200)
    expect(scene.queue.sent).toEqual([WEB])
    const expired = { kind: 'Status', code: 410, reason: 'Expired' }
    scene.server.send('a', 'pods', watchLine('ERROR', JSON.stringify(expired)))
    await settle()
    await pass(500)
    await sent(2)
    expect([scene.server.lists('a', 'pods'), ...scene.queue.sent]).toEqual([2, WEB, WEB])
  })

  it('takes at most a quarter of the calls of a second in keys', async () => {
    await follow({ coalescingWindow: 0, apiCallsPerSecond: 4 })
    changePod('web', '10.0.0.2')
    changePod('api', '10.0.0.2')
    await received('pods', 2)
    await settle()
    expect(scene.queue.sent).toEqual([WEB])
    await pass(500)
    expect(scene.queue.sent).toEqual([WEB])
    await pass(500)
    expect(scene.queue.sent).toEqual([WEB, API])
  })
})
