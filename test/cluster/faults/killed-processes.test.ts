import { describe, expect, it } from 'vitest'
import { openFaultScene } from './scene.ts'
import { useCluster } from './use-cluster.ts'

const KILLS = 3

describe('processes that are killed by SIGKILL', () => {
  const cluster = useCluster()

  it('in the middle of load, with messages in their hands: right within 30 s, as another one shares the queue', async () => {
    const scene = await openFaultScene(cluster(), { seed: 901 })
    await scene.start()
    let victim = await scene.start()
    await scene.load.createAll()
    let isOver = false
    const changes = changeUntil(() => isOver)
    for (let kill = 0; kill < KILLS; kill++) {
      const before = victim.stderr
      await expect.poll(() => victim.stderr.slice(before.length)).toContain('wrote slices')
      victim.kill('SIGKILL')
      await victim.ended
      victim = await scene.start()
    }
    isOver = true
    await changes

    await scene.mustSettle(30)
    expect(await scene.deadLetters()).toEqual([])

    // A start takes long on a busy machine.
    async function changeUntil(isEnough: () => boolean): Promise<void> {
      while (!isEnough()) await scene.load.change({ rate: 20, seconds: 1 })
    }
  })
})
