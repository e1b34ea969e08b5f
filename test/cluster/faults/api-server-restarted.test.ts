import { describe, expect, it } from 'vitest'
import { openFaultScene } from './scene.ts'
import { openDoor, useCluster } from './use-cluster.ts'

describe('an API server', () => {
  const cluster = useCluster()

  it('that is killed by SIGKILL under load and started again, twice: right within 30 s', async () => {
    const scene = await openFaultScene(cluster(), { seed: 911 })
    await scene.start()
    await scene.load.createAll()
    for (let kill = 0; kill < 2; kill++) {
      await scene.load.change({ rate: 40, seconds: 2 })
      await cluster().server.restart()
    }
    await scene.load.change({ rate: 40, seconds: 1 })

    await scene.mustSettle(30)
    expect(await scene.deadLetters()).toEqual([])
  })

  it('whose history is compacted while Sliceflow is cut off, so that no watch can go on: right within 30 s', async () => {
    const { proxy, kubeconfig } = await openDoor(cluster())
    const scene = await openFaultScene(cluster(), { kubeconfig, seed: 912 })
    await scene.start()
    await scene.load.createAll()
    await scene.mustSettle(30)

    proxy.setOpen(false)
    proxy.cutAll()
    await scene.load.change({ rate: 40, seconds: 2 })
    await cluster().server.compact(await scene.newestVersion())
    // The watch cache still has what etcd has forgotten, until the server starts again.
    await cluster().server.restart()
    proxy.setOpen(true)

    await scene.mustSettle(30)
    expect(await scene.deadLetters()).toEqual([])
  })
})
