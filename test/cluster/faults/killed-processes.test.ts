import { describe, expect, it } from 'vitest'
import { openFaultScene } from './scene.ts'
import { openFaultyWay, useCluster } from './use-cluster.ts'

const KILLS = 3

describe('processes that are killed by SIGKILL', () => {
  const cluster = useCluster()

  it('in the middle of load, with messages in their hands: right within 30 s, as another one shares the queue', async () => {
    const scene = await openFaultScene(cluster(), { seed: 901 })
    await scene.startReady()
    let victim = await scene.startReady()
    await scene.load.createAll()
    let isOver = false
    const changes = changeUntil(() => isOver)
    for (let kill = 0; kill < KILLS; kill++) {
      const before = victim.stderr
      await expect.poll(() => victim.stderr.slice(before.length)).toContain('wrote slices')
      victim.kill('SIGKILL')
      await victim.ended
      victim = await scene.startReady()
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

  it.each([
    ['POST', 'cut-before-reply'],
    ['PUT', 'cut-before-reply'],
    ['PUT', 'cut-request'],
  ] as const)(
    'in the middle of a %s of a slice (%s): right within 20 s of the next start',
    async (method, kind) => {
      const { proxy, kubeconfig } = await openFaultyWay(cluster())
      const scene = await openFaultScene(cluster(), {
        kubeconfig,
        services: 10,
        seed: 902 + ['POST', 'PUT'].indexOf(method) * 2 + ['cut-before-reply', 'cut-request'].indexOf(kind),
      })
      const first = await scene.startReady()
      if (method === 'PUT') {
        await scene.load.createAll()
        await scene.mustSettle(20)
      }
      proxy.decide((request) => {
        if (request.method !== method || !request.url.includes('/endpointslices')) return undefined
        first.kill('SIGKILL')
        return kind === 'cut-request' ? { kind, bytes: 200 } : { kind }
      })
      await Promise.all([
        method === 'POST' ? scene.load.createAll() : scene.load.change({ rate: 20, seconds: 2 }),
        first.ended,
      ])
      proxy.decide(() => undefined)
      await scene.startReady()

      await scene.mustSettle(20)
      expect(proxy.done.get(kind)).toBeGreaterThan(0)
      expect(await scene.deadLetters()).toEqual([])
    },
  )
})
