import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { freePort } from '../free-port.ts'
import { openFaultScene } from './scene.ts'
import { useCluster } from './use-cluster.ts'

/** Longer than a call of the function may take, 5 s here, so calls end in the middle. */
const FROZEN_SECONDS = 12
/** As kube's own clients do: a ping after 30 s, and 15 s for its answer. */
const NOTICED_SECONDS = 45
/** Where all the cores are busy with something else. */
const BUSY_SECONDS = 20

describe('an API server', () => {
  const cluster = useCluster()

  it(`that is frozen for ${FROZEN_SECONDS} s in the middle of load: right within 30 s after it wakes up`, async () => {
    const scene = await openFaultScene(cluster(), { seed: 921 })
    await scene.start()
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

  it(`that is frozen while nothing happens is noticed within ${NOTICED_SECONDS} s: watches, circuit and log`, async () => {
    const scene = await openFaultScene(cluster(), { seed: 922 })
    const port = await freePort()
    const run = await scene.start({ flags: ['--metrics-port', String(port)] })
    await scene.load.createAll()
    await scene.mustSettle(30)
    const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(await metrics()).toMatch(/^sliceflow_\w*circuit_state\{cluster="[^"]+"\} 0$/m)

    await cluster().server.kill('SIGSTOP')
    const noticed = { timeout: (NOTICED_SECONDS + BUSY_SECONDS) * 1000, interval: 1_000 }
    await expect.poll(metrics, noticed).toMatch(/^sliceflow_relay_watch_failing\{[^}]+"services"\} 1$/m)
    expect(await metrics()).toMatch(/^sliceflow_\w*circuit_state\{cluster="[^"]+"\} [12]$/m)
    expect(run.stdout + run.stderr).toContain('cannot follow the cluster')
    expect(run.stdout + run.stderr).toContain('has been silent for 45 s')
    await cluster().server.kill('SIGCONT')

    await scene.load.change({ rate: 20, seconds: 2 })
    await scene.mustSettle(30)
    await expect.poll(metrics).toMatch(/^sliceflow_relay_watch_failing\{[^}]+"services"\} 0$/m)
  })
})
