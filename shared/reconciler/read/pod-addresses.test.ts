import { describe, expect, it } from 'vitest'
import type { Pod, SkippedObject } from '../../endpointslice/index.ts'
import { withoutAddresses } from './pod-addresses.ts'

type Status = NonNullable<Pod['status']>

const pod = (podIPs: unknown, more: Partial<Status> = {}): Pod => ({
  metadata: { name: 'p', namespace: 'shop' },
  status: { phase: 'Running', podIPs: podIPs as Status['podIPs'], ...more },
})

/** Removes the pod's addresses in 10.0.0.0/8. Returns the pod and what was skipped. */
function refused(of: Pod): { pod: Pod; skipped: SkippedObject[] } {
  const skipped: SkippedObject[] = []
  const problemOf = (address: string) => (address.startsWith('10.') ? 'is of a private network' : undefined)
  return { pod: withoutAddresses(of, problemOf, (object) => skipped.push(object)), skipped }
}

describe('a pod without the addresses that may not be published', () => {
  it('has the others, and its first one is of these', () => {
    const of = pod([{ ip: '10.0.0.1' }, { ip: '192.0.2.1' }, { ip: 'fd00::1' }], { podIP: '10.0.0.1' })
    expect(refused(of).pod.status).toEqual({
      phase: 'Running',
      podIP: '192.0.2.1',
      podIPs: [{ ip: '192.0.2.1' }, { ip: 'fd00::1' }],
    })
  })

  it('has none where all are refused, each of which is told', () => {
    const { pod: left, skipped } = refused(pod([{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }]))
    expect([left.status?.podIP, left.status?.podIPs]).toEqual([undefined, []])
    const told = { kind: 'Pod', namespace: 'shop', name: 'p', reason: 'RefusedAddress' }
    expect(skipped).toEqual([
      { ...told, message: 'its address 10.0.0.1 is of a private network' },
      { ...told, message: 'its address 10.0.0.2 is of a private network' },
    ])
  })

  it.each<readonly [string, Pod]>([
    ['all may be', pod([{ ip: '192.0.2.1' }])],
    ['there are none', {}],
    ['they are no list', pod({ ip: '10.0.0.1' })],
    ['they are no objects, or hold no text', pod([null, '10.0.0.1', { ip: 10 }, {}])],
  ])('is the same where %s', (_, of) => {
    const { pod: left, skipped } = refused(of)
    expect(left).toBe(of)
    expect(skipped).toEqual([])
  })
})
