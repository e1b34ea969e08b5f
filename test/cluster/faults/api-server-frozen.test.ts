import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openFaultScene } from './scene.ts'
import { useCluster } from './use-cluster.ts'

/** Longer than a call of the function may take, 5 s here, so calls end in the middle. */
const FROZEN_SECONDS = 12

describe('an API server', () => {
  const cluster = useCluster()

  it(`that is frozen for ${FROZEN_SECONDS} s in the middle of load: right within 30 s after it wakes up`, async () => {
    const scene = await openFaultScene(cluster(), { seed: 921 })
    await scene.startReady()
    await scene.load.createAll()
    const changes = scene.load.change({ rate: 20, seconds: FROZEN_SECONDS })
    await sleep(1_000)
    await cluster().server.kill('SIGSTOP')
    await sleep(FROZEN_SECONDS * 1000)
    await cluster().server.kill('SIGCONT')
    await changes

    await scene.mustSettle(30)
    expect(await scene.deadLetters()).toEqual([])
  })
})
