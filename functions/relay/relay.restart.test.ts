import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { seal } from '../../shared/changes/index.ts'
import { plan } from '../../shared/endpointslice/index.ts'
import type { SettingsInput } from '../../shared/settings/index.ts'
import type { MemoryCluster } from '../../test/support/list-watch-server.ts'
import { EVERY_KEY, pass, pod, service, slice, soon, until, useRelays } from './relay.fixtures.ts'

describe('a relay that is started again', () => {
  const scene = useRelays()
  const { metric, runOnce, shop, start, untilSent } = scene

  it('sends nothing when nothing changed', async () => {
    shop()
    expect(await runOnce()).toEqual(EVERY_KEY)
    expect(await runOnce()).toEqual([])
    expect(await metric('keys_suppressed_total')).toEqual([
      'sliceflow_relay_keys_suppressed_total{cluster="a"} 2',
    ])
  })

  it.each<[string, (a: MemoryCluster) => void, string[]]>([
    ['a pod changed', (a) => a.put('pods', pod('web', '10.0.0.9')), ['sweep a/shop/web']],
    [
      'a Service changed',
      (a) => a.put('services', service('web', { 'sliceflow.dev/selector': 'app=api' })),
      ['sweep a/shop/web'],
    ],
    ['a slice was edited', (a) => a.put('endpointslices', slice('api', '10.6.6.6')), ['sweep a/shop/api']],
    ['a slice was deleted', (a) => a.remove('endpointslices', slice('api', '')), ['sweep a/shop/api']],
    ['a Service came', (a) => a.put('services', service('till')), ['sweep a/shop/till']],
    [
      'a Service went, with its slices',
      (a) => {
        a.remove('services', service('web'))
        a.remove('endpointslices', slice('web', ''))
      },
      ['sweep a/shop/web'],
    ],
  ])('sends the key when meanwhile %s', async (_, change, keys) => {
    const a = shop()
    await runOnce()
    change(a)
    expect(await runOnce()).toEqual(keys)
  })

  it('sends what the queue had not accepted before the end', async () => {
    const a = shop()
    const relay = start(['a'])
    await relay.synced
    await untilSent(...EVERY_KEY)
    scene.queue.taken()
    scene.queue.setUp(false)
    a.put('pods', pod('web', '10.0.0.9'))
    await vi.waitFor(
      async () => expect((await metric('keys_pending')).join()).toContain('lane="live"} 1'),
      15_000,
    )
    expect(await relay.stop(soon())).toBe(1)
    scene.queue.setUp(true)
    expect(await runOnce()).toEqual(['sweep a/shop/web'])
  })

  it('sends the keys of its start that the queue had not accepted before the end, time and again', async () => {
    shop()
    scene.queue.setUp(false)
    for (let time = 0; time < 3; time++) {
      const relay = start(['a'])
      await relay.synced
      expect(await relay.stop(soon())).toBe(2)
    }
    scene.queue.setUp(true)
    expect(await runOnce()).toEqual(EVERY_KEY)
    expect(await runOnce()).toEqual([])
  })

  it('leaves out of a checkpoint what was written a moment ago and is not verified yet', async () => {
    const a = shop()
    const { create } = plan({ service: service('api'), pods: [], nodes: [], slices: [] })
    const [right = slice('api', '10.0.0.2'), ...others] = create.map(seal)
    a.remove('endpointslices', slice('api', '10.0.0.2'))
    for (const other of others) a.put('endpointslices', other)
    a.remove('pods', pod('api', '10.0.0.2'))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const relay = start(['a'])
    await relay.synced
    const received = (events: number) => async (): Promise<boolean> =>
      (await metric('events_total')).join().endsWith(` ${events}`)
    await until(() => scene.server.watchers('a') === 4 && scene.queue.sent.length === 2)
    a.put('endpointslices', right)
    await until(received(1))
    await pass(59_900)
    a.put('endpointslices', slice('web', '10.0.0.1'))
    await until(received(2))
    vi.advanceTimersByTime(100)
    const files = (): Promise<string[]> => readdir(scene.directory)
    await until(async () => (await files()).some((name) => name.endsWith('.json')))
    const [name = ''] = await files()
    expect(Object.keys(JSON.parse(await readFile(join(scene.directory, name), 'utf8')).keys)).toEqual([
      'shop/api',
    ])
  })

  it('keeps the keys in a checkpoint once the queue has accepted them, though nothing else has changed', async () => {
    shop()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    scene.queue.setUp(false)
    const relay = start(['a'])
    await relay.synced
    await until(() => scene.server.watchers('a') === 4)
    /** Waits until the next checkpoint, a minute later, has this number of keys. */
    const kept = async (keys: number): Promise<void> => {
      await pass(60_000)
      await until(async () => {
        const [name = ''] = (await readdir(scene.directory)).filter((each) => each.endsWith('.json'))
        if (name === '') return false
        const text = await readFile(join(scene.directory, name), 'utf8')
        return Object.keys(JSON.parse(text).keys).length === keys
      })
    }
    await kept(0)
    scene.queue.setUp(true)
    await until(() => scene.queue.sent.length === 2)
    await kept(2)
  })

  // Which other checkpoints do not count is tested with their file.
  it.each<[string, string, string | undefined, SettingsInput?]>([
    ['damaged', 'it is damaged', '{"version":1,'],
    ['made with other settings or queues', 'other settings', undefined, { managedBy: 'somebody' }],
  ])('sends every key and says why when the checkpoint is %s', async (_, reason, content, settings) => {
    shop()
    await runOnce()
    const [name = ''] = await readdir(scene.directory)
    if (content !== undefined) await writeFile(join(scene.directory, name), content)
    expect(await runOnce(settings)).toEqual(EVERY_KEY)
    const line = scene.log.findLast(({ msg }) => msg.includes('no checkpoint, so'))
    expect(line).toMatchObject({ keys: 2, requests: 1, reason: expect.stringContaining(reason) })
  })

  it('sends every key to another queue, as nobody may read the old one any more', async () => {
    shop()
    const runOn = async (queueUrl: string): Promise<string[]> => {
      const { live, sweep } = scene.queue.senders
      const relay = start(['a'], {}, {}, { senders: { live: { ...live, queueUrl }, sweep } })
      await relay.synced
      await relay.stop(soon())
      return scene.queue.taken()
    }
    expect(await runOn('https://sqs/one')).toEqual(EVERY_KEY)
    expect(await runOn('https://sqs/one')).toEqual([])
    expect(await runOn('https://sqs/other')).toEqual(EVERY_KEY)
  })

  // Which settings decide content is tested where they are defined.
  it('sends nothing with another setting that does not decide content', async () => {
    shop()
    await runOnce()
    expect(await runOnce({ logLevel: 'debug', maximumConcurrency: 2 })).toEqual([])
  })

  it('sends every key when it has no state directory', async () => {
    shop()
    await runOnce({ stateDir: '' })
    expect(await runOnce({ stateDir: '' })).toEqual(EVERY_KEY)
    expect(await readdir(scene.directory)).toEqual([])
    const line = scene.log.findLast(({ msg }) => msg.includes('no checkpoint, so'))
    expect(line).toMatchObject({ reason: 'the relay has no state directory' })
  })

  it('goes on without checkpoints where it cannot write them, says so and counts it', async () => {
    shop()
    const file = join(scene.directory, 'a-file')
    await writeFile(file, '')
    expect(await runOnce({ stateDir: file })).toEqual(EVERY_KEY)
    expect(scene.log.map(({ msg }) => msg).join()).toContain('cannot keep the checkpoint')
    expect(await metric('checkpoint_failures_total')).toEqual([
      'sliceflow_relay_checkpoint_failures_total{cluster="a"} 1',
    ])
  })
})
