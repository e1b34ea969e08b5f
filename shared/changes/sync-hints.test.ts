import { beforeEach, describe, expect, it } from 'vitest'
import type { EndpointSlice, Service } from '../endpointslice/index.ts'
import {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_NETWORK,
  ANNOTATION_SELECTOR,
  type Change,
  type ClusterIndex,
  createClusterIndex,
  createCrossClusterSelectors,
  HINTED_SLICES,
  type KeyHints,
  type SyncHint,
  seal,
} from './index.ts'
import { anythingAllowed } from './sources/permissions.fixtures.ts'
import { change, custom, indexOf, names, node, pod, service, slice } from './sync-hints.fixtures.ts'

describe('hints', () => {
  let index: ClusterIndex

  const hints = (of: Change, maximumEndpoints = 0): KeyHints =>
    index.hints(of, { maxEndpointsPerSlice: 10, maximumEndpoints })
  /** Returns the hint without what the relay has seen of the Pods. */
  const placesFor = (...pods: string[]): Omit<SyncHint, 'facts'> | undefined => {
    const { facts: _facts, ...places } = hints(change(...pods)).hint ?? {}
    return places as SyncHint
  }
  const slicesFor = (...pods: string[]): readonly string[] | undefined => hints(change(...pods)).hint?.slices

  const listed = (...of: Parameters<typeof indexOf>): void => {
    index = indexOf(...of)
  }

  it('name the slice that holds the Pod, up to the version of the list', () => {
    listed([slice('one', names(10, 'p')), slice('two', ['q'])])
    const slices = { slices: ['one'], sliceVersions: ['100'] }
    expect(placesFor('p3')).toEqual({ pods: ['p3'], ...slices })
  })

  it('name each slice that holds one of the Pods, in every address type', () => {
    listed([
      slice('four', ['p', 'q']),
      slice('six', ['p', 'q'], { addressType: 'IPv6' }),
      slice('more', ['r']),
    ])
    expect(slicesFor('p')).toEqual(['four', 'six'])
    expect(slicesFor('q', 'r')).toEqual(['four', 'six', 'more'])
  })

  it('name the fullest slice with room for a Pod that is in none', () => {
    listed([slice('full', names(10, 'a')), slice('fuller', names(9, 'b')), slice('full-less', names(4, 'c'))])
    index.pods.put(pod('new'))
    expect(slicesFor('new')?.[0]).toBe('fuller')
  })

  it('name a second slice with room where messages on their way could fill the first', () => {
    const slicesOf = (endpoints: number): readonly string[] | undefined => {
      listed([slice('second', names(1, 'b')), slice('first', names(endpoints, 'a'))])
      index.pods.put(pod('new'))
      return slicesFor('new')
    }
    expect([slicesOf(9), slicesOf(1)]).toEqual([['first', 'second'], ['second']])
  })

  it('name a slice with room for all of them, one of those named already if there is', () => {
    const both = [slice('named', names(4, 'a')), slice('fuller', names(8, 'b'))]
    for (const slices of [both, both.toReversed()]) {
      listed(slices)
      for (const name of ['new-1', 'new-2', 'new-3']) index.pods.put(pod(name))
      expect(slicesFor('a1', 'new-1')?.[0]).toBe('named')
      expect(slicesFor('new-1', 'new-2')?.[0]).toBe('fuller')
      expect(slicesFor('new-1', 'new-2', 'new-3')).toEqual(['named'])
    }
  })

  it('name one slice with room for those that find none in the slices that are written anyway', () => {
    const slices = [slice('a', names(8, 'a')), slice('b', names(9, 'b')), slice('c', names(9, 'c'))]
    listed([...slices, slice('d', names(8, 'd'))])
    for (const name of names(6, 'new')) index.pods.put(pod(name))
    expect(slicesFor('a1', 'b1', ...names(4, 'new'))).toEqual(['a', 'b', 'c', 'd'])
    expect(slicesFor('a1', 'b1', ...names(5, 'new'))).toEqual(['a', 'b', 'd'])
    expect(slicesFor('a1', 'b1', ...names(6, 'new'))).toBeUndefined()
  })

  it('name no slice for a Pod that is in none and need not be, nor count it as room', () => {
    listed([slice('full', names(10, 'a'))])
    index.pods.put(pod('new'))
    expect([slicesFor('gone'), slicesFor('gone', 'new')]).toEqual([undefined, undefined])
  })

  it('name no version that is not known', () => {
    listed([slice('one', names(4, 'p'))])
    for (const property of ['nodesVersion', 'serviceVersion'] as const)
      expect(hints(change('p1'))[property]).toBeUndefined()
  })

  it('tell with a limit how many Pods the Service selects, whatever its slices hold', () => {
    listed([slice('one', names(4, 'p'))])
    for (const name of names(20, 'new')) index.pods.put(pod(name))
    expect(hints(change('p0'), 100).hint?.selected).toBe(24)
    expect(hints(change('p0')).hint).toHaveProperty('selected', undefined)
  })

  it('name one for each address type and port set that lacks the Pod', () => {
    listed([
      slice('four', ['p']),
      slice('four-other', ['q'], { port: 81 }),
      slice('six', ['p'], { addressType: 'IPv6' }),
    ])
    index.pods.put(pod('new'))
    expect(slicesFor('new')).toEqual(['four', 'four-other', 'six'])
  })

  it('count the room that Pods which are gone leave, and want none for them', () => {
    listed([slice('full', names(10, 'a'))])
    index.pods.remove(pod('a0'))
    expect(slicesFor('a0')).toEqual(['full'])
    index.pods.put(pod('new'))
    expect(slicesFor('new')).toBeUndefined()
    expect(slicesFor('a0', 'new')).toEqual(['full'])
  })

  it('follow what the watch tells', () => {
    listed([slice('one', ['p'])])
    index.slices.put(slice('two', ['q'], { version: '120' }))
    const two = { slices: ['two'], sliceVersions: ['120'] }
    expect(placesFor('q')).toEqual({ pods: ['q'], ...two })
    index.slices.put(slice('two', ['p'], { version: '121' }))
    expect(hints(change('p')).hint?.slices).toEqual(['one', 'two'])
    index.slices.remove(slice('two', ['p'], { version: '130' }))
    const one = { slices: ['one'], sliceVersions: ['100'] }
    expect(placesFor('p')).toEqual({ pods: ['p'], ...one })
  })

  it('name the newest version of the Service, even that of a change that does not matter', () => {
    const of = (resourceVersion: string): Service => {
      const known = service()
      return { ...known, metadata: { ...known.metadata, resourceVersion } }
    }
    listed([slice('one', ['p'])], of('5'))
    expect(hints(change('p')).serviceVersion).toBe('5')
    expect(index.services.put(of('6'))).toEqual([])
    expect(hints(change('p')).serviceVersion).toBe('6')
  })

  it('name no versions of slices where one is not known', () => {
    listed([slice('one', ['p'], { version: '' }), slice('two', ['q'])])
    expect(hints(change('p', 'q')).hint?.slices).toEqual(['one', 'two'])
    expect(hints(change('p', 'q')).hint).toHaveProperty('sliceVersions', undefined)
  })

  it('are none from the start of a list until its end', () => {
    listed([slice('one', ['p'])])
    index.slices.listing()
    index.slices.put(slice('one', ['p'], { version: '200' }))
    expect(hints(change('p')).hint).toBeUndefined()
    index.slices.listed('90')
    expect(hints(change('p')).hint?.sliceVersions).toEqual(['200'])
  })

  describe('are none', () => {
    const two = [slice('one', ['p', 'q']), slice('two', ['r'])]

    it('for a change of anything but Pods', () => {
      listed(two)
      const found = hints({ cluster: 'a', namespace: 'shop', service: 'web' })
      expect(found).toMatchObject({ podsVersion: '7', relayVerifies: true })
      expect(found.hint).toBeUndefined()
    })

    it('for a Service of another cluster', () => {
      listed(two)
      expect(hints({ ...change('p'), cluster: 'b' })).toEqual({})
    })

    it.each([
      ['takes pods of another cluster', { [ANNOTATION_SELECTOR]: 'app=web', [ANNOTATION_CLUSTER]: 'b' }],
      ['publishes another network', { [ANNOTATION_SELECTOR]: 'app=web', [ANNOTATION_NETWORK]: 'storage' }],
      ['has addresses of its own', { [ANNOTATION_ADDRESSES]: '10.0.0.5' }],
      ['cannot be understood', { [ANNOTATION_SELECTOR]: '' }],
      ['is not managed', {}],
    ])('for a Service that %s', (_what, annotations) => {
      listed(two, custom({ [ANNOTATION_SELECTOR]: 'app=web' }))
      expect(hints(change('p')).hint).toBeDefined()
      index.services.put(custom(annotations))
      expect(hints(change('p')).hint).toBeUndefined()
    })

    it('for a Service with topology hints by CPU', () => {
      listed(two, service({ 'service.kubernetes.io/topology-mode': 'Auto' }))
      expect(hints(change('p')).hint).toBeUndefined()
    })

    it.each([
      ['was edited', { ...slice('two', ['r']), ports: [] }],
      ['is empty', slice('two', [])],
    ])('where one of the slices %s', (_what, other) => {
      listed([slice('one', ['p', 'q']), other])
      expect(slicesFor('p')).toBeUndefined()
    })

    it('where the only slice is empty and no placeholder', () => {
      listed([slice('one', [])])
      index.pods.put(pod('p'))
      expect(slicesFor('p')).toBeUndefined()
      listed([seal({ ...slice('one', []), ports: [] })])
      index.pods.put(pod('p'))
      expect(slicesFor('p')).toEqual(['one'])
      listed([seal({ ...slice('one', []), ports: [] }), slice('two', ['q'])])
      expect(slicesFor('q')).toBeUndefined()
    })

    it('where there are no slices, or their versions are no numbers', () => {
      listed([])
      expect(slicesFor('p')).toBeUndefined()
      listed(two)
      index.slices.put(slice('two', ['r'], { version: 'opaque' }))
      expect(slicesFor('p')).toBeUndefined()
    })

    it('where more slices are concerned than a message may name', () => {
      const many = (count: number): EndpointSlice[] =>
        names(count, 's').map((name) => slice(name, [`${name}-p`, ...names(9, `${name}-q`)]))
      const pods = (count: number): string[] => names(count, 's').map((name) => `${name}-p`)
      listed(many(HINTED_SLICES + 1))
      expect(slicesFor(...pods(HINTED_SLICES))).toHaveLength(HINTED_SLICES)
      expect(slicesFor(...pods(HINTED_SLICES + 1))).toBeUndefined()
    })

    it('where reading the Pods one by one costs more than listing them', () => {
      listed([slice('one', names(10, 'a')), slice('two', names(10, 'b'))])
      expect(slicesFor(...names(5, 'a'))).toEqual(['one'])
      expect(slicesFor(...names(6, 'a'))).toBeUndefined()
      listed([slice('one', names(4, 'a'))])
      expect(slicesFor(...names(4, 'a'))).toEqual(['one'])
    })
  })

  it('name Pods of the Service’s own cluster and namespace only', () => {
    const selectors = createCrossClusterSelectors()
    const [a, b] = ['a', 'b'].map((cluster) =>
      createClusterIndex(cluster, 'custom', selectors, anythingAllowed(cluster)),
    )
    const remote = { [ANNOTATION_SELECTOR]: 'app=web', [ANNOTATION_CLUSTER]: 'b' }
    a?.services.put(custom(remote))
    b?.services.put(custom({ ...remote, 'sliceflow.dev/namespace': 'backends' }))
    expect(b?.pods.put(pod('p'))).toEqual([{ cluster: 'a', namespace: 'shop', service: 'web' }])
    const elsewhere = pod('p')
    elsewhere.metadata = { ...elsewhere.metadata, namespace: 'backends' }
    expect(b?.pods.put(elsewhere)).toEqual([
      { cluster: 'b', namespace: 'shop', service: 'web', resourceVersion: '7' },
    ])
  })
})

describe('the version of the nodes', () => {
  const unhinted: Change = { cluster: 'a', namespace: 'shop', service: 'web' }
  let index: ClusterIndex
  const version = (): string | undefined =>
    index.hints(unhinted, { maxEndpointsPerSlice: 10, maximumEndpoints: 0 }).nodesVersion

  beforeEach(() => {
    index = createClusterIndex('a', 'replace')
    index.services.put(service())
    index.nodes.listing()
    index.nodes.put(node('n1', 'z1', '40'))
    index.nodes.put(node('n2', 'z1', '45'))
    index.nodes.listed('50')
  })

  it('is that of the first list, then of each change of a zone, and not of heartbeats', () => {
    expect(version()).toBe('50')
    index.nodes.put(node('n1', 'z1', '60'))
    expect(version()).toBe('50')
    index.nodes.put(node('n1', 'z2', '70'))
    expect(version()).toBe('70')
    index.services.remove(service())
    expect(version()).toBe('70')
  })

  it('is of no use to a Service that takes pods of another cluster', () => {
    index = createClusterIndex('a', 'custom')
    index.services.put(custom({ [ANNOTATION_SELECTOR]: 'app=web', [ANNOTATION_CLUSTER]: 'b' }))
    index.nodes.listed('50')
    expect(version()).toBeUndefined()
  })
})
