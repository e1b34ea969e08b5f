import { expect, it, onTestFinished } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { describeRefusals } from './refusals.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

/** Describes Events of the core group and of events.k8s.io, which are the same objects in two forms. */
export function describeEvents(subject: Subject): void {
  describeIn(subject, 'events', (place) => {
    const core = (name = ''): string => `/api/v1/namespaces/${place.namespace}/events${name && `/${name}`}`
    const group = (name = ''): string =>
      `/apis/events.k8s.io/v1/namespaces/${place.namespace}/events${name && `/${name}`}`
    const regarding = { kind: 'Pod', namespace: 'events', name: 'p', apiVersion: 'v1', uid: 'u-1' }
    const oldEvent = (name: string, more: Json = {}): Json => ({
      metadata: { name },
      involvedObject: regarding,
      reason: 'Tried',
      message: 'it was tried',
      type: 'Normal',
      source: { component: 'tester', host: 'here' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:05:00Z',
      count: 3,
      ...more,
    })
    const newEvent = (name: string, more: Json = {}): Json => ({
      metadata: { name },
      regarding,
      reason: 'Tried',
      note: 'it was tried',
      type: 'Normal',
      action: 'Try',
      eventTime: '2026-01-01T00:00:00.123456Z',
      reportingController: 'example.org/tester',
      reportingInstance: 'tester-1',
      ...more,
    })

    it('that the core group has are those of events.k8s.io under other names', async () => {
      accepted(await place.client.post(core(), oldEvent('old')))
      const { managedFields, ...metadata } = accepted(await place.client.get(group('old'))).metadata
      expect(metadata).toMatchObject({ name: 'old', namespace: 'events' })
      expect(managedFields).toMatchObject([{ apiVersion: 'v1' }])
      const { body } = await place.client.get(group('old'))
      expect({ ...body, metadata: {} }).toEqual({
        kind: 'Event',
        apiVersion: 'events.k8s.io/v1',
        metadata: {},
        eventTime: null,
        reason: 'Tried',
        regarding,
        note: 'it was tried',
        type: 'Normal',
        deprecatedSource: { component: 'tester', host: 'here' },
        deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
        deprecatedLastTimestamp: '2026-01-01T00:05:00Z',
        deprecatedCount: 3,
      })
    })

    it('that events.k8s.io has are those of the core group under other names', async () => {
      const series = { count: 2, lastObservedTime: '2026-01-01T00:01:00.000000Z' }
      accepted(await place.client.post(group(), newEvent('new', { series })))
      const { body } = await place.client.get(core('new'))
      expect({ ...body, metadata: {} }).toEqual({
        kind: 'Event',
        apiVersion: 'v1',
        metadata: {},
        involvedObject: regarding,
        reason: 'Tried',
        message: 'it was tried',
        source: {},
        firstTimestamp: null,
        lastTimestamp: null,
        type: 'Normal',
        eventTime: '2026-01-01T00:00:00.123456Z',
        series,
        action: 'Try',
        reportingComponent: 'example.org/tester',
        reportingInstance: 'tester-1',
      })
    })

    it('are listed and selected by the names that each group has for their fields', async () => {
      accepted(await place.client.post(group(), newEvent('selected', { reason: 'Selected' })))
      const named = async (path: string, selector: string): Promise<string[]> => {
        const list = accepted(await place.client.get(`${path}?fieldSelector=${encodeURIComponent(selector)}`))
        return list.items.map((item: Json) => item.metadata.name)
      }
      expect(await named(core(), 'involvedObject.name=p,reason=Selected')).toEqual(['selected'])
      expect(await named(group(), 'regarding.name=p,reason=Selected')).toEqual(['selected'])
      expect(await named(core(), 'source=example.org/tester,reason=Selected')).toEqual(['selected'])
      expect(await named(group(), 'reportingController=example.org/tester,reason=Selected')).toEqual([
        'selected',
      ])
      const refused = await place.client.get(`${group()}?fieldSelector=involvedObject.name%3Dp`)
      expect(refused.status).toBe(400)
      expect(refused.body.message).toBe('field label not supported: involvedObject.name')
    })

    describeRefusals(place, 'events')

    it('of events.k8s.io change in their series alone', async () => {
      const created = accepted(await place.client.post(group(), newEvent('kept')))
      const series = { count: 5, lastObservedTime: '2026-01-01T00:09:00.000000Z' }
      const changed = accepted(await place.client.put(group('kept'), { ...created, series }))
      expect(changed.series).toEqual(series)
      const other = { ...regarding, name: 'q' }
      const refused = await place.client.put(group('kept'), { ...changed, regarding: other, note: 'else' })
      expect(refused.status).toBe(422)
      expect(refused.body.message).toBe(
        'Event "kept" is invalid: [involvedObject: Invalid value: {"Kind":"Pod","Namespace":"events","Name":"q","UID":"u-1","APIVersion":"v1","ResourceVersion":"","FieldPath":""}: field is immutable, message: Invalid value: "else": field is immutable]',
      )
      const free = {
        ...changed,
        apiVersion: 'v1',
        involvedObject: other,
        message: 'else',
        reportingComponent: 'c',
      }
      expect((await place.client.put(core('kept'), free)).status).toBe(200)
    })

    it('are watched in either form', async () => {
      const { metadata } = accepted(await place.client.get(core()))
      accepted(await place.client.post(core(), oldEvent('watched')))
      accepted(await place.client.delete(group('watched')))
      const watch = await place.client.watch(`${group()}?resourceVersion=${metadata.resourceVersion}`)
      onTestFinished(() => watch.close())
      expect(await watch.until(({ type }) => type === 'DELETED')).toMatchObject([
        { type: 'ADDED', object: { kind: 'Event', apiVersion: 'events.k8s.io/v1', note: 'it was tried' } },
        { type: 'DELETED', object: { metadata: { name: 'watched' }, regarding } },
      ])
    })
  })
}
