import { describe, expect, it } from 'vitest'
import { aPod, aService, HTTP } from './plan.fixtures.ts'
import { findTargetPort, PortResolver, portSetKey } from './ports.ts'
import type { Pod } from './types.ts'

type PodSpec = NonNullable<Pod['spec']>

const container = (name: string, port: string, containerPort: number, protocol = 'TCP') => ({
  name,
  ports: [{ name: port, containerPort, protocol }],
})
const pod = (spec: Partial<PodSpec>) => aPod('p', { spec })
const named = { ...HTTP, targetPort: 'http' }

describe('findTargetPort', () => {
  it('takes a number as it is', () => {
    expect(findTargetPort(pod({}), HTTP)).toBe(8080)
  })

  it('takes the port of the Service when there is no target port', () => {
    expect(findTargetPort(pod({}), { port: 80 })).toBe(80)
  })

  it('looks a name up in the containers, with the same protocol', () => {
    const containers = [
      container('a', 'http', 1, 'UDP'),
      container('b', 'http', 2),
      container('c', 'http', 3),
    ]
    expect(findTargetPort(pod({ containers }), named)).toBe(2)
  })

  it('takes TCP for the protocol where none is told', () => {
    const containers = [{ name: 'a', ports: [{ name: 'http', containerPort: 7 }] }]
    expect(findTargetPort(pod({ containers }), { port: 80, targetPort: 'http' })).toBe(7)
  })

  it('looks in sidecars after the containers, and never in other init containers', () => {
    const setup = container('setup', 'http', 1)
    const sidecar = { ...container('proxy', 'http', 2), restartPolicy: 'Always' }
    expect(findTargetPort(pod({ containers: [], initContainers: [setup, sidecar] }), named)).toBe(2)
    const containers = [container('app', 'http', 3)]
    expect(findTargetPort(pod({ containers, initContainers: [sidecar] }), named)).toBe(3)
    expect(findTargetPort(pod({ containers: [], initContainers: [setup] }), named)).toBeUndefined()
  })

  it('takes digits in a string for a name', () => {
    expect(findTargetPort(pod({}), { ...HTTP, targetPort: '8080' })).toBeUndefined()
  })
})

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
