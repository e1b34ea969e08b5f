import { describe, expect, it } from 'vitest'
import { aPod, aService, HTTP } from '../plan.fixtures.ts'
import type { Pod } from '../types.ts'
import { PortResolver, portSetKey } from './ports.ts'

type PodSpec = NonNullable<Pod['spec']>

const container = (name: string, port: string, containerPort: number, protocol = 'TCP') => ({
  name,
  ports: [{ name: port, containerPort, protocol }],
})
const pod = (spec: Partial<PodSpec>) => aPod('p', { spec })
const named = { ...HTTP, targetPort: 'http' }

describe('portSetKey', () => {
  const a = { name: 'a', port: 1, protocol: 'TCP' }
  const b = { name: 'b', port: 2, protocol: 'TCP' }

  it('does not depend on the order', () => {
    expect(portSetKey([a, b])).toBe(portSetKey([b, a]))
  })

  it.each([
    ['name', { ...a, name: 'x' }],
    ['port', { ...a, port: 9 }],
    ['protocol', { ...a, protocol: 'UDP' }],
    ['appProtocol', { ...a, appProtocol: 'http' }],
    ['an empty appProtocol', { ...a, appProtocol: '' }],
    ['a missing name', { port: 1, protocol: 'TCP' }],
  ])('differs by %s', (_, other) => {
    expect(portSetKey([other])).not.toBe(portSetKey([a]))
  })
})

describe('PortResolver', () => {
  it('gives pods with the same ports the same object, and lists what it found', () => {
    const resolver = new PortResolver(aService({ ports: [named] }))
    const first = resolver.portSetOf(pod({ containers: [container('a', 'http', 1)] }))
    const same = resolver.portSetOf(pod({ containers: [container('other', 'http', 1)] }))
    const none = resolver.portSetOf(pod({ containers: [] }))
    expect(same).toBe(first)
    expect(none.ports).toEqual([])
    expect(resolver.portSets).toEqual([first, none])
  })

  it('copies name, protocol and appProtocol of the Service', () => {
    const resolver = new PortResolver(
      aService({
        ports: [
          { ...HTTP, appProtocol: 'h2c' },
          { port: 1, targetPort: 2 },
          { port: 3, targetPort: 4, appProtocol: null as never },
        ],
      }),
    )
    expect(resolver.portSetOf(pod({})).ports).toStrictEqual([
      { name: 'http', port: 8080, protocol: 'TCP', appProtocol: 'h2c' },
      { name: '', port: 2, protocol: 'TCP' },
      { name: '', port: 4, protocol: 'TCP' },
    ])
  })
})
