import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { SentEntry } from '../../support/queue-proxy.ts'
import { createRandom } from '../../support/random.ts'
import { openFaultScene } from './scene.ts'
import { useCluster } from './use-cluster.ts'

const DOWN_SECONDS = 4
const DELAY_SECONDS = 5

const random = createRandom(960)
const again = (entries: readonly SentEntry[], copy: string): SentEntry[] =>
  entries.map((entry) => ({ ...entry, Id: `${entry.Id}-${copy}` }))
const late = (entries: readonly SentEntry[], seconds: () => number): SentEntry[] =>
  entries.map((entry) => ({ ...entry, DelaySeconds: seconds() }))

describe('a queue', () => {
  const cluster = useCluster()

  it(`that is down for ${DOWN_SECONDS} s under load: right within 20 s after it is back`, async () => {
    const scene = await openFaultScene(cluster(), { seed: 961 })
    const run = await scene.startReady()
    await scene.load.createAll()
    scene.queue.setOpen(false)
    await scene.load.change({ rate: 20, seconds: DOWN_SECONDS })
    await expect.poll(() => run.stderr).toContain('failed to receive messages')
    scene.queue.setOpen(true)

    await scene.mustSettle(20)
    expect(await scene.deadLetters()).toEqual([])
  })

  it('that delivers every message three times: right within 20 s', async () => {
    const scene = await openFaultScene(cluster(), { seed: 962 })
    scene.queue.alter((entries) => [entries, again(entries, 'b'), again(entries, 'c')])
    await scene.startReady()
    await scene.load.createAll()
    await scene.load.change({ rate: 30, seconds: 4 })

    await scene.mustSettle(20)
    expect(await scene.deadLetters()).toEqual([])
  })

  it(`that delivers in any order, up to ${DELAY_SECONDS} s late, and old messages again: right within 20 s`, async () => {
    const scene = await openFaultScene(cluster(), { seed: 963 })
    const anyTime = (): number => random.below(DELAY_SECONDS + 1)
    scene.queue.alter((entries) => [late(entries, anyTime), late(again(entries, 'b'), anyTime)])
    await scene.startReady()
    await scene.load.createAll()
    await scene.load.change({ rate: 30, seconds: 4 })

    await scene.mustSettle(20)
    // What comes after everything was right must not change it.
    await sleep(DELAY_SECONDS * 1000)
    expect(await scene.load.differences()).toEqual([])
    expect(await scene.deadLetters()).toEqual([])
  })
})
