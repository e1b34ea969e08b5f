import { expect, it, onTestFinished } from 'vitest'
import { type ApiClient, NotFoundError, type Resource } from '../../kubernetes/index.ts'
import { followCluster, loadSpec, type ObjectEvent } from '../index.ts'

const SPEC = loadSpec(`
controllers:
  - name: c
    sources: [{ apiGroup: example.com, kind: Widget }]
    target: { kind: V }
`)

it('follows a kind in the version that is served by now, and what was deleted meanwhile', async () => {
  let version = 'v1beta1'
  let names = ['a', 'b']
  let end = Promise.withResolvers<void>()
  const assertServed = (resource: Resource): void => {
    if (resource.version !== version) throw new NotFoundError('not found', 404, {})
  }
  const client = {
    cluster: 'test',
    async read(path: string) {
      if (path === '/apis/example.com') return { preferredVersion: { version }, versions: [{ version }] }
      return { resources: [{ name: 'widgets', kind: 'Widget', namespaced: false }] }
    },
    async *pages(resource: Resource) {
      assertServed(resource)
      yield { items: names.map((name) => ({ metadata: { name } })), metadata: { resourceVersion: '1' } }
    },
    async watch(resource: Resource) {
      await end.promise
      assertServed(resource)
      return (async function* () {})()
    },
  } as unknown as ApiClient
  const ending = new AbortController()
  onTestFinished(() => {
    ending.abort()
    end.resolve()
  })
  const seen: string[] = []
  const onEvents = (events: readonly ObjectEvent[]): void => {
    for (const { type, object } of events) {
      const { apiVersion, metadata } = object as { apiVersion: string; metadata: { name: string } }
      seen.push(`${type} ${apiVersion} ${metadata.name}`)
    }
  }
  void followCluster(client, SPEC, { signal: ending.signal, onEvents, onError: () => undefined })
  await expect.poll(() => seen).toEqual(['Upserted example.com/v1beta1 a', 'Upserted example.com/v1beta1 b'])
  version = 'v1'
  names = ['b', 'c']
  seen.length = 0
  const ended = end
  end = Promise.withResolvers()
  ended.resolve()
  const wanted = ['Upserted example.com/v1 b', 'Upserted example.com/v1 c', 'Deleted example.com/v1 a']
  await expect.poll(() => seen, { timeout: 20_000 }).toEqual(wanted)
})
