import { describe, expect, it } from 'vitest'
import type { Fault, ProxiedRequest } from '../../support/fault-proxy.ts'
import { createRandom } from '../../support/random.ts'
import { openFaultScene } from './scene.ts'
import { openFaultyWay, useCluster } from './use-cluster.ts'

const isWatch = ({ isWatch }: ProxiedRequest): boolean => isWatch
const isCall = ({ isWatch }: ProxiedRequest): boolean => !isWatch
const isWrite = ({ isWrite }: ProxiedRequest): boolean => isWrite

interface Cut {
  readonly point: string
  readonly of: (request: ProxiedRequest) => boolean
  readonly fault: (fraction: number) => Fault
}

const CUTS: readonly Cut[] = [
  {
    point: 'in the middle of the body of a write',
    of: isWrite,
    fault: (fraction) => ({ kind: 'cut-request', bytes: 1 + Math.floor(fraction * 400) }),
  },
  { point: 'between a request and its reply', of: isCall, fault: () => ({ kind: 'cut-before-reply' }) },
  {
    point: 'in the middle of a watch',
    of: isWatch,
    fault: (fraction) => ({ kind: 'cut-reply', bytes: Math.floor(fraction * 20_000) }),
  },
]

/** Share of the requests in question. */
const SHARE = 0.2
const LEAST = 3

describe('connections to the API server that are cut', () => {
  const cluster = useCluster()

  it.each(CUTS)(
    '$point, a fifth of them under load: right within 20 s of the last cut',
    async ({ of, fault, point }) => {
      const { proxy, kubeconfig } = await openFaultyWay(cluster())
      const seed = 930 + CUTS.findIndex((cut) => cut.point === point)
      const scene = await openFaultScene(cluster(), { kubeconfig, seed })
      const random = createRandom(seed)
      await scene.start()
      // A watch lives long: each is cut, at some byte.
      proxy.decide((request) =>
        of(request) && (request.isWatch || random.chance(SHARE)) ? fault(random.fraction()) : undefined,
      )
      await scene.load.createAll()
      const cuts = (): number => [...proxy.done.values()].reduce((sum, count) => sum + count, 0)
      const wanted = point.includes('watch') ? 0 : LEAST
      // A busy machine makes one request of many changes.
      do await scene.load.change({ rate: 30, seconds: 3 })
      while (cuts() < wanted)
      proxy.decide(() => undefined)

      await scene.mustSettle(20)
      expect(await scene.deadLetters()).toEqual([])
    },
  )
})
