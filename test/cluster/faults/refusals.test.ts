import { describe, expect, it } from 'vitest'
import type { Fault } from '../../support/fault-proxy.ts'
import { openFaultScene } from './scene.ts'
import { openFaultyWay, useCluster } from './use-cluster.ts'

const STORM_SECONDS = 5
/** The load alone needs hundreds of calls; the reads of some syncs are under way when the refusals begin. */
const MOST_ASKED = 200

describe('an API server that refuses everything for a while', () => {
  const cluster = useCluster()

  /** @returns how often it was asked meanwhile */
  async function refuse(fault: Fault, seed: number, settleSeconds: number): Promise<number> {
    const { proxy, kubeconfig } = await openFaultyWay(cluster())
    const scene = await openFaultScene(cluster(), { kubeconfig, seed, services: 30 })
    await scene.startReady()
    await scene.load.createAll()
    proxy.decide(() => fault)
    await scene.load.change({ rate: 20, seconds: STORM_SECONDS })
    const asked = proxy.done.get('answer') ?? 0
    proxy.decide(() => undefined)

    await scene.mustSettle(settleSeconds)
    expect(await scene.deadLetters()).toEqual([])
    expect(asked).toBeGreaterThan(0)
    return asked
  }

  it.each([
    ['429 with Retry-After', { kind: 'answer', status: 429, headers: { 'retry-after': '1' } }, 941],
    ['429 without it', { kind: 'answer', status: 429 }, 942],
    ['503', { kind: 'answer', status: 503 }, 943],
  ] as const)('with %s: right within 20 s after it, and hardly asked meanwhile', async (_, fault, seed) => {
    expect(await refuse(fault, seed, 20)).toBeLessThan(MOST_ASKED)
  })

  // An error that looks permanent is retried after 5 s and after 20 s more.
  it('with 401, as when a token has expired: right within 30 s after it', async () => {
    await refuse({ kind: 'answer', status: 401 }, 944, 30)
  })
})
