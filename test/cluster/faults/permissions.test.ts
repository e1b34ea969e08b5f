import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openFaultScene } from './scene.ts'
import { useCluster } from './use-cluster.ts'

const WITHOUT_SECONDS = 5

describe('the permission to read pods', () => {
  const cluster = useCluster()

  it(`taken away for ${WITHOUT_SECONDS} s under load and given back: right within 30 s, and nothing is emptied meanwhile`, async () => {
    // The slices of a Service that is deleted go without a read of Pods. So does the endpoint of a Pod that
    // goes or is not selected any more, as the relay's watch, which stays open, says so.
    const without = [
      ...(['service-recreate', 'service-toggle'] as const),
      ...(['service-selector', 'pod-labels', 'pod-delete'] as const),
    ]
    const scene = await openFaultScene(cluster(), { seed: 951, without })
    const run = await scene.startReady()
    await scene.load.createAll()
    await scene.mustSettle(30)
    onTestFinished(() => cluster().setPodsReadable(true))

    await cluster().setPodsReadable(false)
    const published = await scene.published()
    await scene.load.change({ rate: 20, seconds: 2 })
    await expect.poll(() => run.stderr).toContain('cannot list resource "pods"')
    await sleep(WITHOUT_SECONDS * 1000)
    expect(await scene.published()).toBe(published)
    await cluster().setPodsReadable(true)

    await scene.mustSettle(30)
    expect(await scene.deadLetters()).toEqual([])
  })
})
