import { describe, expect, it } from 'vitest'
import { seal } from '../../../shared/changes/index.ts'
import {
  type EndpointSlice,
  LABEL_ENDPOINT_SELECTOR_NAME,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
} from '../../../shared/endpointslice/index.ts'
import type { ApiClient, ListOptions } from '../../../shared/kubernetes/index.ts'
import { findSlices } from './find-slices.ts'

const OURS = 'sliceflow.dev'
const IN_TREE = 'endpointslice-controller.k8s.io'

function slice(name: string, managedBy: string, metadata: EndpointSlice['metadata'] = {}): EndpointSlice {
  return {
    metadata: {
      namespace: 'shop',
      name,
      uid: `uid-${name}`,
      resourceVersion: '7',
      labels: { [LABEL_SERVICE_NAME]: 'web', [LABEL_MANAGED_BY]: managedBy },
      ...metadata,
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'] }],
    ports: [],
  }
}

/** Makes a cluster whose slices come in these pages, and which notes its requests. */
function clusterOf(...pages: EndpointSlice[][]) {
  const asked: ListOptions[] = []
  const client: Partial<ApiClient> = {
    // It serves no EndpointSelectors.
    read: async <T>() => ({ groups: [] }) as T,
    async *pages(_resource: unknown, options: ListOptions = {}) {
      asked.push(options)
      const isOfSelectors = options.labelSelector?.startsWith(LABEL_ENDPOINT_SELECTOR_NAME) === true
      for (const page of pages) {
        const items = page.filter(
          ({ metadata }) => isOfSelectors === LABEL_ENDPOINT_SELECTOR_NAME in (metadata?.labels ?? {}),
        )
        yield { items: items as never[], metadata: { resourceVersion: '1' } }
      }
    },
  }
  return { client: client as ApiClient, asked }
}

const names = (found: readonly { readonly name: string }[]): string[] => found.map(({ name }) => name)

describe('what Sliceflow made in a cluster', () => {
  it('is found by its value on every page, as it is needed to delete it and nothing else', async () => {
    const { client, asked } = clusterOf([slice('a', OURS)], [slice('b', OURS), slice('theirs', IN_TREE)])
    const { ours, notOurs, elsewhere } = await findSlices(client, { managedBy: OURS, isShared: false })
    expect(names(ours)).toEqual(['a', 'b'])
    expect(ours[0]).toEqual({
      namespace: 'shop',
      name: 'a',
      kind: 'Service',
      service: 'web',
      uid: 'uid-a',
      resourceVersion: '7',
    })
    expect([notOurs, elsewhere.size]).toEqual([0, 0])
    const ofSelectors = `${LABEL_ENDPOINT_SELECTOR_NAME},!${LABEL_SERVICE_NAME}`
    expect(asked).toEqual(
      [LABEL_SERVICE_NAME, ofSelectors].map((labelSelector) => ({ labelSelector, metadataOnly: true })),
    )
  })

  it('is also what EndpointSelectors own', async () => {
    const labels = { [LABEL_ENDPOINT_SELECTOR_NAME]: 'all', [LABEL_MANAGED_BY]: OURS }
    const { client } = clusterOf([slice('a', OURS, { labels })])
    const { ours } = await findSlices(client, { managedBy: OURS, isShared: false })
    expect(ours).toMatchObject([{ name: 'a', kind: 'EndpointSelector', service: 'all' }])
  })

  it('is, of a value that others use too, what is as we wrote it, of which the content is read', async () => {
    const edited = { ...seal(slice('edited', IN_TREE)), endpoints: [] }
    const { client, asked } = clusterOf([seal(slice('ours', IN_TREE)), edited, slice('theirs', IN_TREE)])
    const { ours, notOurs } = await findSlices(client, { managedBy: IN_TREE, isShared: true })
    expect([names(ours), notOurs]).toEqual([['ours'], 2])
    expect(asked.map(({ metadataOnly }) => metadataOnly)).toEqual([false, false])
  })

  it('is counted by value where it is under other ones, be it edited', async () => {
    const { client } = clusterOf([
      seal(slice('a', 'old')),
      { ...seal(slice('b', 'old')), endpoints: [] },
      seal(slice('c', IN_TREE)),
      slice('theirs', IN_TREE),
      seal({ ...slice('d', ''), metadata: { name: 'd', labels: {} } }),
    ])
    const { ours, elsewhere } = await findSlices(client, { managedBy: OURS, isShared: false })
    expect(ours).toEqual([])
    expect([...elsewhere]).toEqual([
      ['old', 2],
      [IN_TREE, 1],
      ['', 1],
    ])
  })

  it('is nothing that is being deleted', async () => {
    const going = (one: EndpointSlice): EndpointSlice =>
      ({ ...one, metadata: { ...one.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }) as EndpointSlice
    const { client } = clusterOf([going(slice('a', OURS)), going(seal(slice('b', 'old')))])
    const found = await findSlices(client, { managedBy: OURS, isShared: false })
    expect([found.ours, found.notOurs, found.elsewhere.size]).toEqual([[], 0, 0])
  })

  it('is not known where a later page could not be read', async () => {
    const client: Partial<ApiClient> = {
      async *pages() {
        yield { items: [slice('a', OURS)] as never[], metadata: { resourceVersion: '1' } }
        throw new Error('the connection was cut')
      },
    }
    await expect(findSlices(client as ApiClient, { managedBy: OURS, isShared: false })).rejects.toThrow('cut')
  })
})
