import { describe, expect, it } from 'vitest'
import { rollingWorkload } from '../../shared/simulation/index.ts'
import { ADVISED, advise, describeAdvice, runMatrix } from './index.ts'

const workload = rollingWorkload({ services: 1, endpoints: 100, nodes: 10 }, { seed: 1 })
const runs = await runMatrix(workload, { ...ADVISED, seed: 1 }, () => {})

describe('advice', () => {
  it('keeps to the delay that is asked for, and sends less the more delay there may be', () => {
    const sent = [200, 1000, 3000].map((latestMs) => {
      const advice = advise(runs, latestMs)
      expect(advice?.run.run.stalenessMs.p99).toBeLessThanOrEqual(latestMs)
      return advice?.run.run.bytesSent ?? 0
    })
    expect(sent).toEqual(sent.toSorted((a, b) => b - a))
    expect(new Set(sent).size).toBe(3)
  })

  it('reports what the defaults would send, and what to ask for where nothing is that quick', () => {
    expect(describeAdvice(advise(runs, 3000), 3000)).toMatch(
      /^--coalescing-window 2 .*\n.*\n {2}the defaults send/,
    )
    expect(describeAdvice(advise(runs, 1), 1)).toContain('allow more with --latest')
  })

  it('stays with the defaults where nothing sends much less', () => {
    const [preset] = runs.filter(
      (run) =>
        run.coalescingWindow === 'auto' && run.maxEndpointsPerSlice === 100 && run.policy === 'in-tree',
    )
    if (preset === undefined) throw new Error('they are tried')
    const other = {
      ...preset,
      coalescingWindow: 1,
      run: { ...preset.run, bytesSent: preset.run.bytesSent * 0.97 },
    }
    expect(advise([other, preset], 3000)?.run).toBe(preset)
  })

  it('advises no longer delay for a few bytes less, and names what came next', () => {
    const [preset] = runs
    if (preset === undefined) throw new Error('they are tried')
    const made = (
      policy: 'in-tree' | 'compact',
      window: 'auto' | number,
      bytesSent: number,
      p99: number,
    ) => ({
      ...preset,
      ...{ policy, coalescingWindow: window, maxEndpointsPerSlice: 100 },
      run: { ...preset.run, bytesSent, stalenessMs: { ...preset.run.stalenessMs, p99 } },
    })
    const auto = made('compact', 'auto', 1000, 60)
    const half = made('compact', 0.5, 990, 500)
    const window = made('compact', 2, 974, 1729)
    const defaults = made('in-tree', 'auto', 2000, 60)
    const advice = advise([window, defaults, half, auto], 3000)
    expect([advice?.run, advice?.runnerUp?.run]).toEqual([auto, half])
    expect(describeAdvice(advice, 3000)).toMatch(
      /\n {2}runner-up: --coalescing-window 0.5 .* within 500 ms\n$/,
    )
    expect(describeAdvice(advise([auto, { ...auto, maxEndpointsPerSlice: 50 }], 3000), 3000)).toContain(
      'there is no runner-up',
    )
  })
})
