import { describe, expect, it } from 'vitest'
import { openFaultScene } from './scene.ts'
import { useCluster } from './use-cluster.ts'

const SHIFT_MS = 5 * 60_000
const PRELOAD = new URL('../../support/shifted-clock.ts', import.meta.url).href

const shifted = (ms: number) => ({ nodeFlags: ['--import', PRELOAD], env: { SHIFTED_CLOCK_MS: String(ms) } })

describe('a clock that is five minutes wrong', () => {
  const cluster = useCluster()

  it('in opposite directions, in two processes that share the queue: right within 15 s', async () => {
    const scene = await openFaultScene(cluster(), { seed: 973 })
    const shifts = [SHIFT_MS, -SHIFT_MS]
    const runs = await Promise.all(
      shifts.map((ms) => scene.start({ ...shifted(ms), flags: ['--log-format', 'json'] })),
    )
    await scene.load.createAll()
    await scene.load.change({ rate: 20, seconds: 4 })

    await scene.mustSettle(15)
    expect(await scene.deadLetters()).toEqual([])
    for (const [index, { stderr }] of runs.entries()) {
      const { timestamp: time } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')
      expect(Math.abs(Date.parse(time) - (shifts[index] ?? 0) - Date.now())).toBeLessThan(SHIFT_MS / 2)
    }
  })
})
