import { beforeEach, describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { type ClusterIndex, createClusterIndex, seal } from '../index.ts'
import { node, type PodOptions, pod, service, services, slice } from './cluster-index.fixtures.ts'

describe('a cluster index', () => {
  let index: ClusterIndex

  beforeEach(() => {
    index = createClusterIndex('a', 'replace')
    index.services.put(service('web', 'web'))
    index.services.put(service('api', 'api'))
    index.nodes.put(node('n1', 'z1'))
  })

  describe('for a pod', () => {
    it('names the Services that select a new one', () => {
      expect(index.pods.put(pod('p'))).toEqual([
        {
          cluster: 'a',
          namespace: 'shop',
          service: 'web',
          resourceVersion: '7',
          triggerTime: '2026-01-01T00:00:05Z',
          pods: ['p'],
        },
      ])
    })

    it.each([null, 'yesterday', 5, '0001-01-01T00:00:00Z'])(
      'names its Service without a trigger time when it became ready at %j',
      (time) => {
        const strange = pod('p')
        for (const condition of strange.status?.conditions ?? [])
          Object.assign(condition, { lastTransitionTime: time })
        expect(index.pods.put(strange)).toEqual([
          { cluster: 'a', namespace: 'shop', service: 'web', resourceVersion: '7', pods: ['p'] },
        ])
      },
    )

    it.each<[string, PodOptions]>([
      ['its readiness', { ready: false }],
      ['its address', { ip: '10.0.0.2' }],
      ['its node', { node: 'n2' }],
      ['its phase to Failed', { phase: 'Failed' }],
      ['to terminating', { terminating: true }],
    ])('names its Services when it changes %s', (_what, after) => {
      index.pods.put(pod('p'))
      expect(services(index.pods.put(pod('p', after)))).toEqual(['web'])
    })

    it('names no Service when nothing that enters an endpoint changed', () => {
      index.pods.put(pod('p'))
      const heartbeat = pod('p', { version: '8' })
      heartbeat.metadata = { ...heartbeat.metadata, annotations: { seen: 'now' } }
      expect(index.pods.put(heartbeat)).toEqual([])
    })

    it('does not name a Service that selects it before and after a change of labels', () => {
      index.services.put(service('any', '', { spec: { selector: { team: 'x' } } }))
      const before = pod('p')
      before.metadata = { ...before.metadata, labels: { app: 'web', team: 'x' } }
      const after = pod('p')
      after.metadata = { ...after.metadata, labels: { app: 'api', team: 'x' } }
      index.pods.put(before)
      expect(services(index.pods.put(after))).toEqual(['api', 'web'])
    })

    it.each<[string, PodOptions]>([
      ['without an address', { ip: '' }],
      ['that has failed', { phase: 'Failed' }],
      ['that has succeeded', { phase: 'Succeeded' }],
    ])('names no Service for one %s', (_what, options) => {
      expect(index.pods.put(pod('p', options))).toEqual([])
      expect(index.pods.remove(pod('p', options))).toEqual([])
    })

    it('names its Services when it is deleted, once', () => {
      index.pods.put(pod('p'))
      expect(services(index.pods.remove(pod('p')))).toEqual(['web'])
      expect(index.pods.remove(pod('p'))).toEqual([])
    })

    it('gives the transition time only when readiness moved', () => {
      index.pods.put(pod('p'))
      const [moved] = index.pods.put(pod('p', { ready: false, readyTime: '2026-01-01T00:00:30Z' }))
      expect(moved?.triggerTime).toBe('2026-01-01T00:00:30Z')
      const [same] = index.pods.put(
        pod('p', { ready: false, readyTime: '2026-01-01T00:00:30Z', ip: '10.0.0.9' }),
      )
      expect(same?.triggerTime).toBeUndefined()
    })
  })

  describe('for a Service', () => {
    it('names a new one, with its creation as the cause', () => {
      expect(index.services.put(service('new', 'web'))).toEqual([
        { cluster: 'a', namespace: 'shop', service: 'new', triggerTime: '2026-01-01T00:00:00Z' },
      ])
    })

    it('names it when its spec or labels change, not when only its status does', () => {
      expect(index.services.put(service('web', 'web', { status: { loadBalancer: {} } }))).toEqual([])
      expect(services(index.services.put(service('web', 'other')))).toEqual(['web'])
      const labelled = service('web', 'other')
      labelled.metadata = { ...labelled.metadata, labels: { team: 'x' } }
      expect(services(index.services.put(labelled))).toEqual(['web'])
    })

    it('passes over those without a selector, and names one that loses it', () => {
      expect(index.services.put(service('bare', '', { spec: {} }))).toEqual([])
      expect(services(index.services.put(service('web', '', { spec: {} })))).toEqual(['web'])
    })

    it('names one that is deleted after it lost its selector, for the slices that it left', () => {
      index.services.put(service('web', '', { spec: {} }))
      expect(index.services.remove(service('web', '', { spec: {} }))).toEqual([])
      index.services.put(service('api', '', { spec: {} }))
      index.slices.put(seal(slice('api-1', 'api')))
      expect(services(index.services.remove(service('api', '', { spec: {} })))).toEqual(['api'])
    })

    it('finds pods by the selector that it has now', () => {
      index.services.put(service('web', 'other'))
      expect(index.pods.put(pod('p'))).toEqual([])
      expect(services(index.pods.put(pod('q', { app: 'other' })))).toEqual(['web'])
    })
  })

  describe('for a Node', () => {
    beforeEach(() => {
      index.pods.put(pod('p'))
      index.pods.put(pod('q', { app: 'api', node: 'n2' }))
    })

    it('names them when it appears and when it is deleted', () => {
      expect(services(index.nodes.put(node('n2', 'z1')))).toEqual(['api'])
      expect(services(index.nodes.remove(node('n2', 'z1')))).toEqual(['api'])
    })
  })

  describe('for a slice of ours', () => {
    it('passes over what we wrote', () => {
      expect(index.slices.put(seal(slice('web-1', 'web')))).toEqual([])
    })

    it('names its Service when somebody edited it', () => {
      const edited = { ...seal(slice('web-1', 'web')), ports: [{ port: 1 }] }
      expect(services(index.slices.put(edited))).toEqual(['web'])
    })

    it('names the old and the new Service when it was given to another', () => {
      index.slices.put(seal(slice('web-1', 'web')))
      expect(services(index.slices.put(slice('web-1', 'api')))).toEqual(['api', 'web'])
    })

    it('passes over its deletion when its Service is gone as well', () => {
      index.slices.put(seal(slice('web-1', 'web')))
      index.services.remove(service('web', 'web'))
      expect(index.slices.remove(seal(slice('web-1', 'web')))).toEqual([])
    })

    it('tells that we wrote it or that it is gone, once for each version, and neither of repetitions nor of edits', () => {
      const written: string[] = []
      const onWritten = ({ service: name }: { service: string }): void => void written.push(name)
      index = createClusterIndex('a', 'replace', undefined, { onWritten })
      const version = (resourceVersion: string, of = slice('web-1', 'web')): EndpointSlice => ({
        ...of,
        metadata: { ...of.metadata, resourceVersion },
      })
      const ours = seal(slice('web-1', 'web'))
      index.slices.put(version('1', ours))
      expect(written.splice(0)).toEqual(['web'])
      for (let list = 0; list < 3; list++) {
        index.slices.listing()
        index.slices.put(version('1', ours))
        index.slices.listed('9')
      }
      expect(written).toEqual([])
      index.slices.put(version('2', { ...ours, ports: [{ port: 1 }] }))
      expect(written).toEqual([])
      index.slices.put(version('3', ours))
      expect(written.splice(0)).toEqual(['web'])
      index.slices.remove(version('4', ours))
      expect(written.splice(0)).toEqual(['web'])
      index.slices.remove(version('4', ours))
      expect(written).toEqual([])
    })
  })

  describe('after a list', () => {
    it('names what the list no longer holds', () => {
      index.pods.put(pod('p'))
      index.pods.put(pod('q', { app: 'api' }))
      index.pods.listing()
      expect(index.pods.put(pod('q', { app: 'api' }))).toEqual([])
      const gone = index.pods.listed()
      expect(services(gone)).toEqual(['web'])
      expect(gone[0]?.pods).toEqual(['p'])
      expect(index.size().pods).toBe(1)
    })

    it('names a Service that was deleted while nobody watched', () => {
      index.services.listing()
      index.services.put(service('web', 'web'))
      expect(services(index.services.listed())).toEqual(['api'])
    })
  })

  it('knows every key: managed Services, and those of slices whose Service is gone', () => {
    index.services.put(service('bare', '', { spec: {} }))
    index.slices.put(seal(slice('old-1', 'gone')))
    expect(services(index.keys())).toEqual(['api', 'gone', 'web'])
  })
})
