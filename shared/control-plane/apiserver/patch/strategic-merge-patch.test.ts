import { expect, it } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { strategicMergePatch } from './strategic-merge-patch.ts'

// What it does to lists and their elements otherwise is recorded: test/server/recordings, `patch`.

const p80 = { name: 'p1', port: 80 }
const p81 = { name: 'p2', port: 81 }
const patched = (before: JsonObject[], ports: JsonObject[], more: JsonObject = {}) =>
  strategicMergePatch({ spec: { ports: before } }, { spec: { ports, ...more } }, 'core.Service').spec

it('orders elements by $setElementOrder', () => {
  const order = { '$setElementOrder/ports': [{ port: 81 }, { port: 80 }] }
  expect(patched([p80, p81], [{ port: 80, targetPort: 1 }], order)).toEqual({
    ports: [p81, { ...p80, targetPort: 1 }],
  })
})

it('changes every element with the same key, and adds after what it took away', () => {
  const twice = [p80, { name: 'p3', port: 80 }, p81]
  expect(patched(twice, [{ port: 80, targetPort: 1 }])).toEqual({
    ports: [{ ...p80, targetPort: 1 }, { name: 'p3', port: 80, targetPort: 1 }, p81],
  })
  const removal = [
    { port: 80, $patch: 'delete' },
    { port: 80, name: 'new' },
  ]
  expect(patched(twice, removal)).toEqual({ ports: [{ name: 'new', port: 80 }, p81] })
})

it('looks at each element of long lists once', { timeout: 30_000 }, () => {
  // Every one at every other would take minutes, in which nobody else is served.
  const owners = (from: number) => Array.from({ length: 40_000 }, (_, index) => ({ uid: `${from + index}` }))
  const finalizers = owners(0).map(({ uid }) => `a.b/${uid}`)
  const before = { metadata: { ownerReferences: owners(0), finalizers } }
  const patch = {
    metadata: { ownerReferences: owners(20_000), '$deleteFromPrimitiveList/finalizers': finalizers },
  }
  const { metadata } = strategicMergePatch(before, patch, 'core.ConfigMap')
  expect(metadata).toMatchObject({ ownerReferences: { length: 60_000 }, finalizers: [] })
})
