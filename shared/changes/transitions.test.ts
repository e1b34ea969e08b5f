import { describe, expect, it } from 'vitest'
import { type EndpointSlice, LABEL_SERVICE_NAME, type Service } from '../endpointslice/index.ts'
import type { Mode } from '../settings/index.ts'
import {
  ANNOTATION_RELEASE,
  ANNOTATION_SELECTOR,
  type Change,
  type ClusterIndex,
  createClusterIndex,
  seal,
} from './index.ts'

const named = (changes: Change[]): string[] => changes.map(({ service }) => service)

function service(spec: Service['spec'], annotations: Record<string, string> = {}): Service {
  return { metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', annotations }, spec }
}

const MANAGED: Record<Mode, Service> = {
  custom: service({}, { [ANNOTATION_SELECTOR]: 'app=web' }),
  replace: service({ selector: { app: 'web' } }),
}
const EXTERNAL: Record<Mode, Service> = {
  custom: service({ type: 'ExternalName' }, { [ANNOTATION_SELECTOR]: 'app=web' }),
  replace: service({ type: 'ExternalName', selector: { app: 'web' } }),
}
const UNSELECTED = service({})

const slice: EndpointSlice = seal({
  metadata: { name: 'web-1', namespace: 'shop', labels: { [LABEL_SERVICE_NAME]: 'web' } },
  addressType: 'IPv4',
  endpoints: [],
})

function indexWith(mode: Mode, first: Service): ClusterIndex {
  const index = createClusterIndex('a', mode)
  index.slices.put(slice)
  index.services.put(first)
  return index
}

describe.each<Mode>(['custom', 'replace'])('a Service whose slices may be left over, in %s mode,', (mode) => {
  it.each([
    ['loses its selector', MANAGED[mode], UNSELECTED],
    ['gets its selector', UNSELECTED, MANAGED[mode]],
    ['becomes an ExternalName', MANAGED[mode], EXTERNAL[mode]],
    ['is an ExternalName no more', EXTERNAL[mode], MANAGED[mode]],
  ])('is named when it %s', (_what, before, after) => {
    expect(named(indexWith(mode, before).services.put(after))).toEqual(['web'])
  })

  it.each([
    ['managed', MANAGED[mode]],
    ['not managed any more', UNSELECTED],
    ['an ExternalName', EXTERNAL[mode]],
  ])('is named when it is deleted, being %s', (_what, before) => {
    expect(named(indexWith(mode, before).services.remove(before))).toEqual(['web'])
  })

  it.each([
    ['deleted', undefined],
    ['not managed any more', UNSELECTED],
    ['an ExternalName', EXTERNAL[mode]],
  ])('is among all keys after a restart, being %s by then', (_what, now) => {
    const index = createClusterIndex('a', mode)
    index.slices.put(slice)
    if (now !== undefined) index.services.put(now)
    expect(named(index.keys())).toEqual(['web'])
  })

  it('is named when it became unmanaged while the relay listed again', () => {
    const index = indexWith(mode, MANAGED[mode])
    index.services.listing()
    expect(named(index.services.put(UNSELECTED))).toEqual(['web'])
    expect(index.services.listed()).toEqual([])
  })
})

it.each([
  ['a plan of it is', MANAGED.custom],
  ['the slices that it left behind are', MANAGED.replace],
])('a Service is named when %s released', (_what, held) => {
  const index = indexWith('custom', held)
  const { metadata, ...rest } = held
  const annotations = { ...metadata?.annotations, [ANNOTATION_RELEASE]: '2026-01-01T00:00:00.000Z' }
  expect(named(index.services.put({ ...rest, metadata: { ...metadata, annotations } }))).toEqual(['web'])
})
