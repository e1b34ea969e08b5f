import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EVERY_KEY, never, pod, useRelays } from './relay.fixtures.ts'

/**
 * A deployment starts the next relay beside the last one, which ends once the new one is healthy. Both have
 * one state directory.
 */
describe('a relay that is replaced', () => {
  const scene = useRelays()
  const { runOnce, shop, start, untilSent } = scene

  async function started() {
    const a = shop()
    const last = start(['a'])
    await last.synced
    await untilSent(...EVERY_KEY)
    scene.queue.taken()
    let address = 1
    /** Changes a Pod, and waits until its key is sent: times that two relays send it, or the only one. */
    const change = async (relays: number): Promise<void> => {
      address++
      a.put('pods', pod('web', `10.0.1.${address}`))
      await untilSent(...Array.from({ length: relays }, () => 'live a/shop/web'))
      scene.queue.taken()
    }
    return { last, change }
  }

  const checkpoint = async (): Promise<string> => {
    const [name = ''] = (await readdir(scene.directory)).filter((each) => each.endsWith('.json'))
    return join(scene.directory, name)
  }

  it('sends every change until its successor does: each twice while there are two, and none is missing', async () => {
    const { last, change } = await started()
    await change(1)
    start(['a'])
    // Of what the last one knows since its start no checkpoint is written yet.
    await untilSent(...EVERY_KEY)
    scene.queue.taken()
    for (let times = 0; times < 10; times++) await change(2)
    await last.stop(never)
    for (let times = 0; times < 10; times++) await change(1)
    expect(scene.queue.sent).toEqual([])
  })

  it('goes on where its successor ends again, as one does whose image is bad', async () => {
    const { last, change } = await started()
    for (let attempt = 0; attempt < 3; attempt++) {
      const next = start(['a'])
      await next.synced
      await next.stop(never)
      scene.queue.taken()
      await change(1)
    }
    await last.stop(never)
    expect(await runOnce()).toEqual([])
  })

  it('leaves a checkpoint that is true, whichever of the two has written it last', async () => {
    const { last, change } = await started()
    const next = start(['a'])
    await untilSent(...EVERY_KEY)
    scene.queue.taken()
    await change(2)
    await last.stop(never)
    const path = await checkpoint()
    const ofLast = await readFile(path, 'utf8')
    await change(1)
    await next.stop(never)
    const ofNext = await readFile(path, 'utf8')
    expect(await runOnce()).toEqual([])
    // The next one crashed before it wrote any: what it has sent since is sent once more, and nothing else.
    await writeFile(path, ofLast)
    expect(await runOnce()).toEqual(['sweep a/shop/web'])
    await writeFile(path, ofNext)
    expect(await runOnce()).toEqual([])
  })
})
