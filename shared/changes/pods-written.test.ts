import { describe, expect, it } from 'vitest'
import { makeSlice } from '../../test/support/world/index.ts'
import type { Endpoint, EndpointSlice, SlicePlan } from '../endpointslice/index.ts'
import { podsWritten } from './pods-written.ts'

type Changes = Pick<SlicePlan, 'create' | 'update' | 'delete'>

const NAMESPACE = 'shop'

describe('the pods of what is written', () => {
  const nothing = { create: [], update: [], delete: [] }

  it('are those whose endpoints differ, and are added where they were not in the slice', () => {
    const endpointOf = (name: string, ready = true): Endpoint => ({
      addresses: ['10.0.0.1'],
      conditions: { ready },
      targetRef: { kind: 'Pod', name, namespace: NAMESPACE },
    })
    const [one, two, three] = [endpointOf('web-1'), endpointOf('web-2'), endpointOf('web-3')]
    const first = makeSlice({ name: 'first', endpoints: [one, two] })
    const second = makeSlice({ name: 'second', endpoints: [three] })
    const update = (...endpoints: Endpoint[]): Changes => ({ ...nothing, update: [{ ...first, endpoints }] })
    const before = [first, second]
    for (const [was, changes, areAdded, ...names] of [
      [before, update(endpointOf('web-1', false), two), false, 'web-1'],
      [before, update(two), false, 'web-1'],
      [before, update(one, two, three), true, 'web-3'],
      [before, { ...nothing, delete: [second] }, false, 'web-3'],
      [[], { ...nothing, create: [first] }, true, 'web-1', 'web-2'],
    ] as [EndpointSlice[], Changes, boolean, ...string[]][])
      expect(podsWritten(was, changes, NAMESPACE)).toEqual({ changed: new Set(names), areAdded })
  })

  it('are of the Service’s namespace, and pods: an endpoint may be of something else', () => {
    const slice = makeSlice({
      endpoints: [
        { addresses: ['10.0.0.1'], targetRef: { kind: 'Pod', name: 'ours', namespace: NAMESPACE } },
        { addresses: ['10.0.0.2'], targetRef: { kind: 'Pod', name: 'without-namespace' } },
        { addresses: ['10.0.0.3'], targetRef: { kind: 'Pod', name: 'theirs', namespace: 'depot' } },
        { addresses: ['10.0.0.4'], targetRef: { kind: 'Node', name: 'node', namespace: NAMESPACE } },
        { addresses: ['10.0.0.5'] },
      ],
    })
    const created = { ...nothing, create: [slice] }
    expect(podsWritten([], created, NAMESPACE).changed).toEqual(new Set(['ours', 'without-namespace']))
  })

  it('are those of which any endpoint differs, where a pod has several in a slice', () => {
    const targetRef = { kind: 'Pod', name: 'web-1', namespace: NAMESPACE }
    const sliceOf = (...addresses: readonly string[]): EndpointSlice =>
      makeSlice({ endpoints: addresses.map((address) => ({ addresses: [address], targetRef })) })
    const before = [sliceOf('10.0.0.1', '10.0.0.2')]
    const changedBy = (after: EndpointSlice): ReadonlySet<string> =>
      podsWritten(before, { ...nothing, update: [after] }, NAMESPACE).changed
    expect(changedBy(sliceOf('10.0.0.1', '10.0.0.2'))).toEqual(new Set())
    expect(changedBy(sliceOf('10.0.0.9', '10.0.0.2'))).toEqual(new Set(['web-1']))
    expect(changedBy(sliceOf('10.0.0.1', '10.0.0.9'))).toEqual(new Set(['web-1']))
  })
})
