import { describe, expect, it } from 'vitest'
import type { Change, KindIndex } from '../../changes/index.ts'
import { type ClusterSet, fleetKey } from '../../cluster-sets/index.ts'
import { LABEL_ENDPOINT_SELECTOR_NAME } from '../../endpointslice/index.ts'
import type { ApiObject } from '../../kubernetes/index.ts'
import { ANNOTATION_EXPORT_KIND, createFleetIndex, type FleetIndex } from '../index.ts'
import {
  derivedObject,
  importedSlice,
  importObject,
  member,
  namespaceObject,
  object,
  setOf,
  sliceObject,
} from './fleet-index.fixtures.ts'
import type { FleetKind } from './member-index.ts'

const key = (name: string, namespace = 'shop'): Change => fleetKey('default', namespace, name)

/** Makes an index in which each kind of each member was listed, with what is in a member's kind. */
function listedIndex(set: ClusterSet = setOf(member('eu'), member('us'))) {
  const index = createFleetIndex(set)
  const kind = (cluster: string, name: FleetKind): KindIndex<ApiObject> => {
    const found = index.members.get(cluster)?.kinds.get(name)
    if (found === undefined) throw new Error(`${name} of ${cluster} are not watched`)
    return found
  }
  for (const { kinds } of index.members.values())
    for (const each of kinds.values()) {
      each.listing()
      each.listed()
    }
  return { index, kind }
}

const web = { name: 'web', version: '1' }

describe('the index of a cluster set', () => {
  it('knows what is behind a Service that one cluster exports, in all of them', () => {
    const { index, kind } = listedIndex()
    kind('eu', 'services').put(object(web))
    kind('eu', 'slices').put(sliceObject({ name: 'web-1', version: '7' }, 'web'))
    expect(index.keys()).toEqual([])
    expect(kind('eu', 'exports').put(object({ name: 'web', version: '2' }))).toEqual([key('web')])
    kind('us', 'imports').put(importObject({ name: 'web', version: '3' }))
    kind('us', 'services').put(derivedObject({ name: 'web', version: '4' }))
    kind('us', 'slices').put(importedSlice({ name: 'web-a', version: '5' }, 'web'))
    expect(index.keys()).toEqual([key('web')])
    expect(index.versions(key('web'))).toEqual({
      eu: { export: '2', service: '1', slices: { 'web-1': '7' } },
      us: { import: '3', derived: '4', imported: { 'web-a': '5' } },
    })
  })

  it('knows by the kind of an export whether a Service or an EndpointSelector is behind it', () => {
    const { index, kind } = listedIndex()
    const exportOf = (version: string, exported?: string): ApiObject =>
      object({ ...web, version, ...(exported && { annotations: { [ANNOTATION_EXPORT_KIND]: exported } }) })
    const selected = (version: string): ApiObject =>
      object({ name: 'web-2', version, labels: { [LABEL_ENDPOINT_SELECTOR_NAME]: 'web' } })
    kind('eu', 'services').put(object(web))
    kind('eu', 'slices').put(sliceObject({ name: 'web-1', version: '7' }, 'web'))
    kind('eu', 'slices').put(selected('8'))
    kind('eu', 'exports').put(exportOf('2'))
    expect(index.versions(key('web'))).toEqual({
      eu: { export: '2', service: '1', slices: { 'web-1': '7' } },
      us: {},
    })
    expect(kind('eu', 'slices').put(selected('9'))).toEqual([])
    expect(kind('eu', 'exports').put(exportOf('3', 'EndpointSelector'))).toEqual([key('web')])
    expect(index.versions(key('web'))).toEqual({ eu: { export: '3', slices: { 'web-2': '9' } }, us: {} })
    expect(kind('eu', 'slices').put(selected('10'))).toEqual([key('web')])
    expect(kind('eu', 'services').put(object({ ...web, version: '11' }))).toEqual([])
    expect(kind('eu', 'slices').remove(sliceObject({ name: 'web-1' }, 'web'))).toEqual([])
    expect(kind('eu', 'slices').remove(selected('12'))).toEqual([key('web')])
  })

  it('makes changes of a property of a cluster: of every Service whose export selects clusters, and no other', () => {
    const { kind } = listedIndex({ ...setOf(member('eu'), member('us', 'import')), clusterSelection: true })
    const property = (version: string, generation?: number): ApiObject => ({
      metadata: { name: 'region', uid: 'u1', resourceVersion: version, ...(generation && { generation }) },
    })
    const exportOf = (version: string, spec: object): ApiObject =>
      Object.assign(object({ name: 'api', version }), { spec })
    kind('eu', 'exports').put(object(web))
    kind('eu', 'exports').put(exportOf('1', { clusterSelectors: [{}] }))
    expect(kind('us', 'properties').put(property('1', 1))).toEqual([key('api')])
    expect(kind('us', 'properties').put(property('2', 1))).toEqual([])
    expect(kind('us', 'properties').put(property('3', 2))).toEqual([key('api')])
    expect(kind('eu', 'properties').put(property('4'))).toEqual([key('api')])
    expect(kind('eu', 'properties').remove(property('4'))).toEqual([key('api')])
    kind('eu', 'exports').put(exportOf('5', {}))
    expect(kind('us', 'properties').remove(property('3', 2))).toEqual([])
  })

  it('makes a change of each event of what is behind a Service, and none of what is not', () => {
    const { kind } = listedIndex()
    const slice = (version: string): ApiObject => sliceObject({ name: 'web-1', version }, 'web')
    expect(kind('eu', 'slices').put(slice('1'))).toEqual([])
    kind('eu', 'exports').put(object(web))
    expect(kind('eu', 'slices').put(slice('1'))).toEqual([])
    expect(kind('eu', 'slices').put(slice('2'))).toEqual([key('web')])
    expect(kind('eu', 'slices').remove(slice('3'))).toEqual([key('web')])
    expect(kind('us', 'slices').put(slice('1')), 'not exported there').toEqual([])
    expect(kind('us', 'services').put(object(web)), 'not exported there').toEqual([])
    expect(kind('us', 'imports').put(importObject(web))).toEqual([key('web')])
    expect(kind('us', 'imports').put(object({ name: 'api', version: '1' })), 'not ours').toEqual([])
    expect(kind('us', 'imports').put(importObject({ name: 'pay', version: '1' }, 'other'))).toEqual([])
  })

  it('makes no change of annotations that no sync reads', () => {
    const { index, kind } = listedIndex()
    const noted = (of: ApiObject, version: string, annotations: object): ApiObject => {
      const metadata = { ...of.metadata, annotations, resourceVersion: version }
      return { ...of, metadata }
    }
    const [service, exported] = [object({ ...web, uid: 'a' }), object({ ...web, uid: 'b' })]
    const slice = sliceObject({ name: 'web-1', version: '1', uid: 'c', generation: 1 }, 'web')
    kind('eu', 'exports').put(exported)
    kind('eu', 'services').put(service)
    kind('eu', 'slices').put(slice)
    const note = { note: 'x' }
    expect(kind('eu', 'exports').put(noted(exported, '2', note))).toEqual([])
    expect(kind('eu', 'services').put(noted(service, '3', note))).toEqual([])
    expect(kind('eu', 'slices').put(noted(slice, '4', note))).toEqual([])
    // A function that reads them finds out that they are newer than what it has.
    expect(index.versions(key('web'))?.eu).toEqual({ export: '2', service: '3', slices: { 'web-1': '4' } })
    const policy = { 'sliceflow.dev/fleet-policy': '{}' }
    expect(kind('eu', 'exports').put(noted(exported, '5', policy))).toEqual([key('web')])
    expect(kind('eu', 'services').put(noted(service, '6', policy))).toEqual([key('web')])
    const other = sliceObject({ name: 'web-1', version: '7', uid: 'c', generation: 2 }, 'web')
    expect(kind('eu', 'slices').put(other)).toEqual([key('web')])
  })

  it('makes a change of whatever is written on what we have made', () => {
    const { kind } = listedIndex()
    kind('eu', 'exports').put(object(web))
    for (const version of ['1', '2']) {
      const put = [
        kind('us', 'imports').put(importObject({ name: 'web', version, generation: 1 })),
        kind('us', 'services').put(derivedObject({ name: 'web', version })),
        kind('us', 'slices').put(importedSlice({ name: 'web-a', version, generation: 1 }, 'web')),
      ]
      expect(put).toEqual([[key('web')], [key('web')], [key('web')]])
    }
  })

  it('believes no label that the name of the derived Service belies', () => {
    const { index, kind } = listedIndex()
    const { labels } = derivedObject(web).metadata as { labels?: unknown }
    expect(kind('us', 'services').put(object({ name: 'mine', version: '1', labels }))).toEqual([])
    expect(index.keys()).toEqual([])
  })

  it('tells what a list no longer names, and nothing of what is as before', () => {
    const { index, kind } = listedIndex()
    const exports = kind('eu', 'exports')
    for (const name of ['web', 'api', 'pay']) exports.put(object({ name, version: '1' }))
    exports.listing()
    expect(exports.put(object(web))).toEqual([])
    expect(exports.put(object({ name: 'api', version: '2' }))).toEqual([key('api')])
    expect(exports.listed()).toEqual([key('pay')])
    expect(index.keys()).toEqual([key('web'), key('api')])
  })

  it('makes a change of what a list has in another version, as it may have changed and changed back', () => {
    const { kind } = listedIndex()
    const withVersion = (version: string) => ({ ...object({ name: 'web', version }), spec: {} }) as ApiObject
    for (const name of ['exports', 'services'] as const) {
      const objects = kind('eu', name)
      objects.put(withVersion('1'))
      expect(objects.put(withVersion('2'))).toEqual([])
      objects.listing()
      expect(objects.put(withVersion('2'))).toEqual([])
      expect(objects.put(withVersion('4'))).toEqual([key('web')])
      objects.listed()
      expect(objects.put(withVersion('5'))).toEqual([])
    }
  })

  it('changes all keys of a namespace that comes, is made again or goes, in a cluster that imports', () => {
    const { kind } = listedIndex(setOf(member('eu', 'export'), member('us', 'import')))
    const [exports, namespaces] = [kind('eu', 'exports'), kind('us', 'namespaces')]
    for (const [namespace, name] of [
      ['shop', 'web'],
      ['shop', 'api'],
      ['pay', 'web'],
    ] as const)
      exports.put(object({ namespace, name, version: '1' }))
    expect(namespaces.put(namespaceObject('shop', 'a'))).toEqual([key('web'), key('api')])
    expect(namespaces.put(namespaceObject('shop', 'a'))).toEqual([])
    expect(namespaces.put(namespaceObject('shop', 'b'))).toEqual([key('web'), key('api')])
    expect(namespaces.remove(namespaceObject('shop', 'b'))).toEqual([key('web'), key('api')])
    expect(namespaces.remove(namespaceObject('shop', 'b'))).toEqual([])
  })

  it('tells of a slice’s change when its Pod changed, if the slice says so again', () => {
    const { kind } = listedIndex()
    kind('eu', 'exports').put(object(web))
    const put = (version: string, time: string): Change[] =>
      kind('eu', 'slices').put(sliceObject({ name: 'web-1', version }, 'web', time))
    const triggerTime = '2026-11-24T10:00:00Z'
    expect(put('1', triggerTime)).toEqual([{ ...key('web'), triggerTime }])
    expect(put('2', triggerTime)).toEqual([key('web')])
    expect(put('3', 'yesterday')).toEqual([key('web')])
    const creationTimestamp = '2026-11-24T10:00:01Z'
    expect(kind('eu', 'exports').put(object({ name: 'api', version: '1', creationTimestamp }))).toEqual([
      { ...key('api'), triggerTime: creationTimestamp },
    ])
  })
})

describe('the members of a cluster set', () => {
  it('are watched for what their role needs, and what it does not belongs to no Service', () => {
    const { index, kind } = listedIndex(setOf(member('eu', 'export'), member('us', 'import')))
    const kinds = (cluster: string) => [...(index.members.get(cluster)?.kinds.keys() ?? [])].sort()
    expect(kinds('eu')).toEqual(['exports', 'services', 'slices'])
    expect(kinds('us')).toEqual(['imports', 'namespaces', 'services', 'slices'])
    kind('eu', 'slices').put(importedSlice({ name: 'web-a', version: '1' }, 'web'))
    kind('eu', 'services').put(derivedObject(web))
    expect(index.keys()).toEqual([])
    kind('eu', 'exports').put(object(web))
    kind('us', 'slices').put(sliceObject({ name: 'web-1', version: '1' }, 'web'))
    expect(index.versions(key('web'))).toEqual({ eu: { export: '1' }, us: {} })
    expect(index.members.get('eu')?.exported()).toEqual([key('web')])
    expect(index.members.get('us')?.exported()).toEqual([])
  })

  it('must all be listed before versions are named', () => {
    const index = createFleetIndex(setOf(member('eu'), member('us', 'export')))
    const members = [...index.members.values()]
    for (const kind of members.flatMap(({ kinds }) => [...kinds.values()])) {
      expect(index.versions(key('web'))).toBeUndefined()
      kind.listing()
      kind.listed()
    }
    expect(members.every(({ isSynced }) => isSynced)).toBe(true)
    expect(index.versions(key('web'))).toEqual({ eu: {}, us: {} })
  })

  it('export and import in the namespaces of the set alone, system ones only where they are named', () => {
    const exported = (patterns: readonly string[]): string[] => {
      const { index, kind } = listedIndex({ ...setOf(member('eu')), namespaces: patterns })
      for (const namespace of ['shop', 'shop-eu', 'kube-system', 'workshop'])
        kind('eu', 'exports').put(object({ namespace, name: 'web', version: '1' }))
      return index.keys().map(({ namespace }) => namespace)
    }
    expect(exported(['*'])).toEqual(['shop', 'shop-eu', 'workshop'])
    expect(exported(['shop-*', 'workshop'])).toEqual(['shop-eu', 'workshop'])
    expect(exported(['shop', 'kube-*'])).toEqual(['shop', 'kube-system'])
    expect(exported([])).toEqual([])
    expect(exported(['shop=leave'])).toEqual(['shop'])
  })
})

describe('versions that are not named', () => {
  const withSlices = (count: number): FleetIndex => {
    const { index, kind } = listedIndex()
    kind('eu', 'exports').put(object(web))
    for (let each = 0; each < count; each++)
      kind('eu', 'slices').put(sliceObject({ name: `web-${each}`, version: '1' }, 'web'))
    return index
  }

  it('are those of a Service with too many slices', () => {
    expect(Object.keys(withSlices(292).versions(key('web'))?.eu?.slices ?? {})).toHaveLength(292)
    expect(withSlices(293).versions(key('web'))).toBeUndefined()
  })

  it.each([undefined, null, 7, '', 'a b', '9'.repeat(300), '1\n'])(
    'are those of a key of which a cluster gives one as %j; each of its events is a change',
    (version) => {
      const { index, kind } = listedIndex()
      kind('eu', 'exports').put(object(web))
      const slice = sliceObject({ name: 'web-1', version }, 'web')
      expect([0, 1].map(() => kind('eu', 'slices').put(slice))).toEqual([[key('web')], [key('web')]])
      expect(index.versions(key('web'))).toBeUndefined()
      kind('eu', 'slices').remove(slice)
      expect(index.versions(key('web'))).toEqual({ eu: { export: '1' }, us: {} })
    },
  )
})

describe('an object that lies', () => {
  const LONG = 'x'.repeat(300)
  it.each<[string, unknown]>([
    ['without metadata', {}],
    ['without a name', { metadata: { namespace: 'shop' } }],
    ['with a name that is no text', { metadata: { namespace: 'shop', name: ['web'] } }],
    ['with a name with a slash', { metadata: { namespace: 'shop', name: '../web' } }],
    ['with a name of 300 characters', { metadata: { namespace: 'shop', name: LONG } }],
    ['in a namespace of 300 characters', { metadata: { namespace: LONG, name: 'web' } }],
    ['in a namespace that is a number', { metadata: { namespace: 3, name: 'web' } }],
    ['with labels that are no map', { metadata: { namespace: 'shop', name: 'a-1', labels: 'web' } }],
    ['with a label with a slash', sliceObject({ name: 'a-1' }, 'shop/web')],
    ['with a label of 300 characters', sliceObject({ name: 'a-1' }, LONG)],
    ['with a label that is no text', sliceObject({ name: 'a-1' }, { web: 1 })],
    ['imported for what is no name', importedSlice({ name: 'a-1' }, '../web')],
    ['derived from what is no name', derivedObject({ name: LONG })],
  ])('%s is of no Service, in whichever kind', (_, lie) => {
    const { index, kind } = listedIndex()
    for (const name of ['services', 'slices', 'namespaces'] as const) {
      expect(kind('eu', name).put(lie as ApiObject)).toEqual([])
      expect(kind('eu', name).remove(lie as ApiObject)).toEqual([])
    }
    expect(index.keys()).toEqual([])
  })
})
