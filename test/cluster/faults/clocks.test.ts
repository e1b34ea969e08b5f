import { describe, expect, it } from 'vitest'
import { openFaultScene } from './scene.ts'
import { useCluster } from './use-cluster.ts'

const SHIFT_MS = 5 * 60_000
const PRELOAD = new URL('../../support/shifted-clock.ts', import.meta.url).href

const shifted = (ms: number) => ({
  nodeFlags: ['--import', PRELOAD],
  env: { SHIFTED_CLOCK_MS: String(ms) },
})

describe('a clock that is five minutes wrong', () => {
  const cluster = useCluster()

  it.each([
    ['ahead', SHIFT_MS],
    ['behind', -SHIFT_MS],
  ])('%s, in a process with relay and function: right within 15 s', async (name, ms) => {
    const scene = await openFaultScene(cluster(), { seed: name === 'ahead' ? 971 : 972 })
    const run = await scene.startReady({ ...shifted(ms), flags: ['--log-format', 'json'] })
    await scene.load.createAll()
    await scene.mustSettle(15)
    await scene.load.change({ rate: 20, seconds: 4 })

    await scene.mustSettle(15)
    expect(await scene.deadLetters()).toEqual([])
    const { timestamp: time } = JSON.parse(run.stderr.trimEnd().split('\n').at(-1) ?? '')
    expect(Math.abs(Date.parse(time) - ms - Date.now())).toBeLessThan(SHIFT_MS / 2)
  })

  it('in opposite directions, in two processes that share the queue: right within 15 s', async () => {
    const scene = await openFaultScene(cluster(), { seed: 973 })
    await Promise.all([scene.startReady(shifted(SHIFT_MS)), scene.startReady(shifted(-SHIFT_MS))])
    await scene.load.createAll()
    await scene.load.change({ rate: 20, seconds: 4 })

    await scene.mustSettle(15)
    expect(await scene.deadLetters()).toEqual([])
  })
})
