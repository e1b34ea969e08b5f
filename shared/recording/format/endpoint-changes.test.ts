import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../endpointslice/index.ts'
import { endpointChanges, endpointsAfter, RecordingError } from '../index.ts'

const web = (index: number, more: Partial<Endpoint> = {}): Endpoint => ({
  addresses: [`10.0.0.${index}`],
  conditions: { ready: true, serving: true, terminating: false },
  targetRef: { kind: 'Pod', namespace: 'shop', name: `web-${index}`, uid: `u${index}` },
  nodeName: 'n1',
  ...more,
})
const [ONE, TWO, THREE] = [web(1), web(2), web(3)]

describe('endpointChanges', () => {
  it('lists added and removed endpoints', () => {
    expect(endpointChanges([ONE, TWO], [ONE, THREE])).toEqual({ came: [THREE], went: [TWO], changed: [] })
  })

  it('lists only the changed fields of an endpoint', () => {
    const conditions = { ready: false, serving: true, terminating: true }
    const { nodeName: _, ...after } = web(2, { conditions, zone: 'a' })
    expect(endpointChanges([ONE, TWO, THREE], [ONE, after, THREE])).toEqual({
      came: [],
      went: [],
      changed: [
        {
          addresses: ['10.0.0.2'],
          target: 'web-2',
          from: { conditions: TWO.conditions, nodeName: 'n1' },
          to: { conditions, zone: 'a' },
        },
      ],
    })
  })

  it('records a Pod with changed addresses as removed and added', () => {
    const moved = { ...TWO, addresses: ['10.0.0.9'] }
    expect(endpointChanges([TWO], [moved])).toEqual({ came: [moved], went: [TWO], changed: [] })
  })

  it('records no additional members that others wrote into an endpoint', () => {
    const noted = {
      ...ONE,
      deprecatedTopology: { note: 'a' },
      targetRef: { ...ONE.targetRef, fieldPath: 'x' },
    }
    expect(endpointChanges([], [noted]).came).toEqual([ONE])
  })
})

describe('endpointsAfter', () => {
  it.each([
    ['went', { came: [], went: [{ endpoint: TWO, cause: 'Deleted' as const }], changed: [] }],
    ['changed', { came: [], went: [], changed: [{ addresses: ['10.0.0.2'], from: {}, to: { zone: 'a' } }] }],
  ])('refuses a write by which an endpoint %s that is not there', (_, write) => {
    expect(() => endpointsAfter([ONE], write)).toThrow(RecordingError)
    expect(() => endpointsAfter([ONE], write)).toThrow(
      'does not follow: endpoint 10.0.0.2 is not in the slice',
    )
  })
})
