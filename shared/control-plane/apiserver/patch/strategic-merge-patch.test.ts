import { describe, expect, it } from 'vitest'
import { strategicMergePatch } from './strategic-merge-patch.ts'

const ports = (...list: object[]) => ({ spec: { ports: list } }) as never
const patchPorts = (before: object[], after: object[], more: object = {}) =>
  strategicMergePatch(ports(...before), { spec: { ports: after, ...more } } as never, 'core.Service').spec

describe('a strategic merge patch', () => {
  const p80 = { name: 'p1', port: 80 }
  const p81 = { name: 'p2', port: 81 }

  it('changes the element with the same key', () => {
    expect(patchPorts([p80, p81], [{ port: 80, targetPort: 8080 }])).toEqual({
      ports: [{ ...p80, targetPort: 8080 }, p81],
    })
  })
  it('puts new elements first', () => {
    expect(patchPorts([p80], [p81])).toEqual({ ports: [p81, p80] })
  })
  it('takes elements away', () => {
    expect(patchPorts([p80, p81], [{ port: 81, $patch: 'delete' }])).toEqual({ ports: [p80] })
  })
  it('replaces the list with $patch: replace', () => {
    expect(patchPorts([p80], [{ $patch: 'replace' }, p81])).toEqual({ ports: [p81] })
  })
  it('orders elements by $setElementOrder', () => {
    const order = { '$setElementOrder/ports': [{ port: 81 }, { port: 80 }] }
    expect(patchPorts([p80, p81], [{ port: 81, targetPort: 1 }], order)).toEqual({
      ports: [{ ...p81, targetPort: 1 }, p80],
    })
  })
  it('fails without a merge key', () => {
    expect(() => patchPorts([p80], [{ name: 'zz' }])).toThrow(
      'map: map[name:zz] does not contain declared merge key: port',
    )
  })
  it('merges lists of words and takes words away', () => {
    const before = { metadata: { finalizers: ['a.b/c', 'd.e/f'] } }
    const merged = strategicMergePatch(before, { metadata: { finalizers: ['g.h/i'] } }, 'core.ConfigMap')
    expect(merged).toEqual({ metadata: { finalizers: ['g.h/i', 'a.b/c', 'd.e/f'] } })
    const removal = { metadata: { '$deleteFromPrimitiveList/finalizers': ['a.b/c'] } }
    expect(strategicMergePatch(merged, removal, 'core.ConfigMap')).toEqual({
      metadata: { finalizers: ['g.h/i', 'd.e/f'] },
    })
  })
  it('replaces atomic lists', () => {
    const before = { endpoints: [{ addresses: ['10.1.1.1'] }] }
    const patch = { endpoints: [{ addresses: ['10.1.1.2'] }] }
    expect(strategicMergePatch(before, patch, 'discovery.EndpointSlice')).toEqual(patch)
  })
  it('changes every element with the same key, and adds after what it took away', () => {
    const twice = [p80, { name: 'p3', port: 80 }, p81]
    expect(patchPorts(twice, [{ port: 80, targetPort: 1 }])).toEqual({
      ports: [{ ...p80, targetPort: 1 }, { name: 'p3', port: 80, targetPort: 1 }, p81],
    })
    const removal = [
      { port: 80, $patch: 'delete' },
      { port: 80, name: 'new' },
    ]
    expect(patchPorts(twice, removal)).toEqual({ ports: [{ name: 'new', port: 80 }, p81] })
  })
  it('looks at each element of long lists once', { timeout: 30_000 }, () => {
    // Every one at every other would take minutes, in which nobody else is served.
    const owners = (from: number) =>
      Array.from({ length: 40_000 }, (_, index) => ({ uid: `${from + index}` }))
    const finalizers = owners(0).map(({ uid }) => `a.b/${uid}`)
    const before = { metadata: { ownerReferences: owners(0), finalizers } }
    const patch = {
      metadata: { ownerReferences: owners(20_000), '$deleteFromPrimitiveList/finalizers': finalizers },
    }
    const { metadata } = strategicMergePatch(before, patch, 'core.ConfigMap')
    expect(metadata).toMatchObject({ ownerReferences: { length: 60_000 }, finalizers: [] })
  })
})
