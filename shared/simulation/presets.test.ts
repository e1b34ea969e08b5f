import { describe, expect, it } from 'vitest'
import { simulatePreset } from './presets.ts'

describe('the sample cases of KEP-752', () => {
  it('cost what the KEP states for one changed endpoint of 20,000, with real object sizes', async () => {
    const sent = async (policy: 'endpoints' | 'single' | 'in-tree') => {
      const { policies } = await simulatePreset('kep-large', {
        policies: [policy],
        phases: ['create', 'update'],
      })
      return policies[policy]
    }
    // 2.0 MB, 10 kB, < 1 kB: the stored sizes match to the KEP's last digit.
    const endpoints = await sent('endpoints')
    expect(endpoints?.update).toMatchObject({ writes: 1, watchEvents: 5000 })
    expect(endpoints?.update?.bytesSent).toBeGreaterThan(9.5e9)
    expect(endpoints?.update?.bytesSent).toBeLessThan(11.5e9)
    expect(Math.round((endpoints?.update?.bytesStored ?? 0) / 1e6)).toBe(2)
    const inTree = await sent('in-tree')
    expect(inTree?.create).toMatchObject({ writes: 200, watchEvents: 1_000_000 })
    expect(Math.round((inTree?.update?.bytesStored ?? 0) / 1e4)).toBe(1)
    const single = await sent('single')
    expect(single?.create).toMatchObject({ writes: 20_000, watchEvents: 100_000_000 })
    expect(Math.round((single?.update?.bytesSent ?? 0) / 1e6)).toBe(5)
  })

  it('print as one JSON object', async () => {
    const result = await simulatePreset('kep-small')
    expect(result.preset).toBe('kep-small')
    for (const phases of Object.values(result.policies)) {
      for (const phase of ['create', 'update', 'rolling'] as const) {
        expect(Object.keys(phases[phase] ?? {})).toEqual([
          'writes',
          'watchEvents',
          'bytesSent',
          'bytesStored',
        ])
      }
    }
  })
})
