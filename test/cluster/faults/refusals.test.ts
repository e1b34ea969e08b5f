import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { NODES, PODS } from '../../../shared/kubernetes/index.ts'
import { clientOf } from '../run-command.ts'
import { openFaultScene } from './scene.ts'
import { openFaultyWay, useCluster } from './use-cluster.ts'

const STORM_SECONDS = 5
/** The load alone needs hundreds of calls; the reads of some syncs are under way when the refusals begin. */
const MOST_ASKED = 200

describe('an API server that refuses everything for a while', () => {
  const cluster = useCluster()

  it.each([
    {
      name: '429, hardly asked meanwhile',
      answer: { status: 429, headers: { 'retry-after': '1' } },
      mostAsked: MOST_ASKED,
      seed: 941,
      settleSeconds: 20,
    },
    // An error that looks permanent is retried after 5 s and after 20 s more.
    {
      name: '401, as when a token has expired',
      answer: { status: 401 },
      mostAsked: Number.POSITIVE_INFINITY,
      seed: 944,
      settleSeconds: 30,
    },
  ])('with $name: right soon after it', async ({ answer, mostAsked, seed, settleSeconds }) => {
    const { proxy, kubeconfig } = await openFaultyWay(cluster())
    const scene = await openFaultScene(cluster(), { kubeconfig, seed, services: 30 })
    await scene.start()
    await scene.load.createAll()
    proxy.decide(() => ({ kind: 'answer', ...answer }))
    await scene.load.change({ rate: 20, seconds: STORM_SECONDS })
    const asked = proxy.done.get('answer') ?? 0
    proxy.decide(() => undefined)

    await scene.mustSettle(settleSeconds)
    expect(await scene.deadLetters()).toEqual([])
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThan(mostAsked)
  })

  it('while keys wait of which a Node goes: it is out of the slices within 20 s after it', async () => {
    const { proxy, kubeconfig } = await openFaultyWay(cluster())
    const scene = await openFaultScene(cluster(), { kubeconfig, seed: 945, services: 4 })
    await scene.start()
    await scene.load.createAll()
    await scene.mustSettle(20)
    const client = await clientOf(cluster().admin)
    const [namespace = ''] = scene.load.namespaces
    const { items: pods } = await client.list(PODS, { namespace })
    const nodes = new Set(pods.slice(1).map(({ spec }) => spec?.nodeName ?? ''))

    proxy.decide(() => ({ kind: 'answer', status: 503 }))
    await client.delete(PODS, { namespace, name: pods[0]?.metadata?.name ?? '' })
    await sleep(1_000)
    for (const name of nodes) await client.delete(NODES, { name })
    await sleep(2_000)
    proxy.decide(() => undefined)
    await scene.mustSettle(20)
  })
})
