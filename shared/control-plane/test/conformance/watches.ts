import { expect, it, onTestFinished, vi } from 'vitest'
import { makeSlice } from '../../../../test/support/objects.ts'
import type { Json, RawWatch } from '../../../../test/support/raw-client.ts'
import { accepted, describeIn, PATIENCE, type Place, type Subject } from './subject.ts'

/** Describes what a relay relies on: no event is lost, and it learns when a list has to be read again. */
export function describeWatches(subject: Subject): void {
  describeIn(subject, 'watches', (place) => {
    describeEvents(place)
    describeSelectedEvents(place)
    describeBookmarks(place)

    it('ends a watch from a version that is too old with an ERROR event of 410', async () => {
      await subject.server.expire()
      const events = await watch(place, 'resourceVersion=1')
      const event = await events.next()
      expect(event.type).toBe('ERROR')
      expect(event.object).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 })
      expect(await events.next()).toBeUndefined()
    })
  })
}

async function watch(place: Place, query: string): Promise<RawWatch> {
  const events = await place.client.watch(`${place.path('endpointslices')}?${query}`)
  onTestFinished(() => events.close())
  expect(events.status).toBe(200)
  return events
}

const create = (place: Place, name: string, labels: Record<string, string> = {}): Promise<Json> => {
  const slice = makeSlice({ namespace: place.namespace, name })
  Object.assign(slice.metadata?.labels ?? {}, labels)
  return place.create('endpointslices', slice)
}

const label = async (place: Place, name: string, labels: Record<string, string | null>): Promise<Json> =>
  accepted(await place.client.patch(place.path('endpointslices', name), { metadata: { labels } }))

const remove = async (place: Place, name: string): Promise<Json> =>
  accepted(await place.client.delete(place.path('endpointslices', name)))

const listVersion = async (place: Place): Promise<string> =>
  accepted(await place.client.get(place.path('endpointslices'))).metadata.resourceVersion

const named =
  (type: string, name: string) =>
  (event: Json): boolean =>
    event.type === type && event.object.metadata.name === name

const summary = (events: readonly Json[]): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata.name}`)

function describeEvents(place: Place): void {
  it('gives a deleted object as it was, with the version of its deletion', async () => {
    const created = await create(place, 'ended')
    const events = await watch(place, `resourceVersion=${created.metadata.resourceVersion}`)
    await remove(place, 'ended')
    const { object } = await events.next()
    expect(object.metadata).toMatchObject({ uid: created.metadata.uid, labels: created.metadata.labels })
    expect(BigInt(object.metadata.resourceVersion)).toBeGreaterThan(BigInt(created.metadata.resourceVersion))
  })

  it('goes on where its end is a month away', async () => {
    const events = await watch(place, `resourceVersion=${await listVersion(place)}&timeoutSeconds=3000000`)
    await create(place, 'patient')
    expect((await events.next())?.object.metadata.name).toBe('patient')
  })
}

function describeSelectedEvents(place: Place): void {
  it('with a selector has only its objects: what enters is ADDED, what leaves is DELETED', async () => {
    const version = await listVersion(place)
    const events = await watch(place, `resourceVersion=${version}&labelSelector=team%3Dshop`)
    await create(place, 'moving', { team: 'other' })
    await label(place, 'moving', { team: 'shop' })
    await label(place, 'moving', { more: 'yes' })
    const left = await label(place, 'moving', { team: null })
    await create(place, 'last', { team: 'shop' })
    const reported = await events.until(named('ADDED', 'last'))
    expect(summary(reported)).toEqual(['ADDED moving', 'MODIFIED moving', 'DELETED moving', 'ADDED last'])
    expect(reported[2].object.metadata).toMatchObject({
      labels: { team: 'shop' },
      resourceVersion: left.metadata.resourceVersion,
    })
  })
}

function describeBookmarks(place: Place): void {
  it('moves a watch on by bookmarks, past what it does not select', async () => {
    const query = 'fieldSelector=metadata.name%3Dnone&allowWatchBookmarks=true&timeoutSeconds=5'
    // kube-apiserver sends one within the last two seconds, unless it is too busy, and only past what came
    // after the beginning.
    let attempts = 0
    const [created, { type, object }] = await vi.waitFor(async () => {
      const events = await watch(place, `resourceVersion=${await listVersion(place)}&${query}`)
      const passed = await create(place, `passed-${attempts++}`)
      const event = await events.next()
      expect(event).toBeDefined()
      return [passed, event]
    }, PATIENCE)
    expect(type).toBe('BOOKMARK')
    expect(object).toMatchObject({ kind: 'EndpointSlice', apiVersion: 'discovery.k8s.io/v1' })
    expect(BigInt(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      BigInt(created.metadata.resourceVersion),
    )
    expect(object.metadata.name ?? '').toBe('')
  })
}
