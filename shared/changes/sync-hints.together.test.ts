import { describe, expect, it } from 'vitest'
import { LABEL_SERVICE_NAME } from '../endpointslice/index.ts'
import { ANNOTATION_CLUSTER, ANNOTATION_SELECTOR, type Change, type ClusterIndex } from './index.ts'
import { change, custom, indexOf, names, pod, slice } from './sync-hints.fixtures.ts'

const SETTINGS = { maxEndpointsPerSlice: 10, maximumEndpoints: 0 }
let index: ClusterIndex
const listed = (...of: Parameters<typeof indexOf>): void => {
  index = indexOf(...of)
}

describe('Pods that a sync takes along', () => {
  const along = (of: Change, ...pods: string[]) => index.alongWith(of, pods, SETTINGS)

  it('are those of the slices that it writes anyway, in every address type', () => {
    const six = (name: string, pods: string[]) => slice(name, pods, { addressType: 'IPv6' })
    listed([slice('one', names(9, 'p')), slice('two', names(10, 'q')), six('six', [...names(8, 'p'), 'q1'])])
    expect(along(change('p1'), 'p2', 'p8', 'q1', 'q2', 'unknown')).toEqual(['p2', 'p8'])
    expect(along(change('q1'), 'p2', 'p8', 'q1', 'q2')).toEqual(['q1', 'q2'])
  })

  it('are those of the slice with room, beside a Pod that is to be added', () => {
    listed([slice('one', names(9, 'p')), slice('full', names(10, 'q'))])
    index.pods.put(pod('new'))
    expect(along(change('new'), 'p2', 'q2')).toEqual(['p2'])
  })

  it('are those of the slice with room whose Pods wait longest, and none of the second one that it names', () => {
    listed([slice('one', names(5, 'p')), slice('fuller', names(9, 'q')), slice('full', names(10, 'r'))])
    index.pods.put(pod('new'))
    expect(along(change('new'), 'r2', 'p2', 'q2')).toEqual(['p2'])
    expect(along(change('new'), 'q2', 'r2', 'p2')).toEqual(['q2'])
    index.pods.remove(pod('r2'))
    expect(along(change('new'), 'r2', 'p2', 'q2')).toEqual(['r2'])
    const { hint } = index.hints(change('new', 'r2'), SETTINGS)
    expect(hint?.slices).toEqual(['full', 'fuller'])
  })

  it('are never so many that a full sync would cost less', () => {
    listed([slice('one', names(10, 'p')), slice('two', names(10, 'q'))])
    expect(along(change('p0'), ...names(10, 'p'))).toHaveLength(4)
  })

  it('are none of a full sync, which takes all', () => {
    listed([slice('one', names(9, 'p'))])
    const { pods: _, ...whole } = change()
    expect(along(whole, 'p2')).toEqual([])
  })
})

describe('what a full sync may read at once', () => {
  const { pods: _, ...ofService } = change()
  const readAhead = () => index.hints(ofService, SETTINGS).readAhead
  const podsListed = (version: string): void => {
    index.pods.listing()
    for (const name of ['p', 'q']) index.pods.put(pod(name))
    index.pods.listed(version)
  }

  it('is selected by the Service, and as new as what the relay has seen', () => {
    listed([slice('one', ['p', 'q'])])
    podsListed('150')
    index.pods.put({ ...pod('q'), spec: { containers: [], nodeName: 'n2' } })
    const versions = { slicesVersion: '100', podsVersion: '150', slices: ['one'], sliceVersions: ['100'] }
    expect(readAhead()).toMatchObject({ ...versions, selector: 'app in (web)' })
  })

  it('has what the relay has seen of all its Pods, and their Nodes only for those who may not believe it', () => {
    listed([slice('one', ['p', 'q'])])
    podsListed('150')
    index.pods.put(pod('starting', ''))
    const { selected, nodes } = readAhead() ?? {}
    expect([selected?.pods, nodes]).toEqual([['p', 'q'], undefined])
    expect(selected?.facts.pods).toMatchObject([
      { endpoint: ['uid-p', ['10.0.0.1'], 'n1', 1, 0, '', '', ''] },
      {},
    ])
    expect(selected?.facts.addsEndpoints).toBeUndefined()
    index.pods.put(pod('new'))
    expect(readAhead()).toMatchObject({ selected: { facts: { addsEndpoints: true } }, nodes: ['n1'] })
  })

  it('has it beside slices that were written since, and Pods to be listed as new as these', () => {
    listed([slice('one', ['p', 'q'], { version: '160' })])
    podsListed('150')
    expect(readAhead()).toMatchObject({ podsVersion: '160', selected: { pods: ['p', 'q'] } })
  })

  it.each([
    ['one that has an endpoint lost its address, or finished', () => index.pods.put(pod('q', ''))],
    ['they are many', () => names(63, 'r').map((name) => index.pods.put(pod(name)))],
  ])('has nothing of its Pods where %s', (_, happen) => {
    listed([slice('one', ['p', 'q'])])
    podsListed('150')
    expect(readAhead()?.selected).toBeDefined()
    happen()
    expect(readAhead()).toMatchObject({ selected: undefined, nodes: ['n1'] })
  })

  it('does not name slices where they are many, nor has what would count for named ones alone', () => {
    listed(names(12, 's').map((name) => slice(name, ['p'])))
    podsListed('150')
    expect(readAhead()).toMatchObject({ slices: { length: 12 }, selected: { pods: ['p', 'q'] } })
    index.slices.put(slice('one-more', ['p']))
    expect(readAhead()).toMatchObject({ selected: undefined, nodes: ['n1'] })
    expect(readAhead()).not.toHaveProperty('slices')
  })

  it('has Pods as new as its newest slice, and not as that of another Service', () => {
    listed([slice('one', ['p']), slice('two', ['q'], { version: '120' })])
    podsListed('110')
    expect(readAhead()?.podsVersion).toBe('120')
    const other = slice('other', ['z'], { version: '130' })
    index.slices.put({ ...other, metadata: { ...other.metadata, labels: { [LABEL_SERVICE_NAME]: 'other' } } })
    expect(readAhead()?.podsVersion).toBe('120')
  })

  it('is what a Service that is gone has left, and no Pods', () => {
    listed([slice('one', ['p'])])
    podsListed('110')
    index.services.remove({ metadata: { namespace: 'shop', name: 'web' } })
    expect(index.hints(ofService, SETTINGS)).toMatchObject({
      readAhead: { slicesVersion: '100', podsVersion: '110', slices: ['one'], sliceVersions: ['100'] },
      relayVerifies: true,
    })
    expect(readAhead()).not.toHaveProperty('selector')
    expect(index.hints({ ...ofService, ownerKind: 'EndpointSelector' }, SETTINGS)).not.toHaveProperty(
      'readAhead',
    )
  })

  it('names no Nodes where they are many', () => {
    listed([])
    podsListed('110')
    for (const name of names(65, 'p'))
      index.pods.put({ ...pod(name), spec: { containers: [], nodeName: `n-${name}` } })
    expect(readAhead()).toHaveProperty('nodes', undefined)
    expect(readAhead()).toBeDefined()
  })

  it('is nothing beside a hint, of a large Service, before all was listed, nor of other clusters’ Pods', () => {
    listed([slice('one', ['p'])])
    index.pods.listing()
    expect(readAhead()).toBeUndefined()
    podsListed('110')
    expect(readAhead()).toBeDefined()
    expect(index.hints(change('p'), SETTINGS).readAhead).toBeUndefined()
    listed([slice('large', names(501, 'p'))])
    podsListed('110')
    expect(readAhead()).toBeUndefined()
    listed([], custom({ [ANNOTATION_SELECTOR]: 'app=web', [ANNOTATION_CLUSTER]: 'b' }))
    podsListed('110')
    expect(readAhead()).toBeUndefined()
  })
})
