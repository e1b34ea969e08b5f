import { expect, it } from 'vitest'
import type { Json } from '../../../../../../test/support/raw-client.ts'
import { accepted } from '../../subject.ts'
import { GROUP } from '../scene.ts'
import type { ConversionScene } from './scene.ts'
import { spoiltObject } from './webhook.ts'

/** Describes objects of one version, as other versions show and write them. */
export function describeConvertedObjects(scene: ConversionScene): void {
  const { place, webhook, site, first } = scene
  it('shows an object in each version, whichever it was written in', async () => {
    accepted(await place.client.post(first(''), site('one', { host: 'h', port: '1' })))
    accepted(await place.client.post(first('', 'v2'), site('two', { address: 'g:2' }, 'v2')))
    const shown = async (name: string, of: string): Promise<Json> => {
      const { apiVersion, kind, metadata, ...content } = (await place.client.get(first(name, of))).body
      return { apiVersion, ...content }
    }
    expect(await shown('one', 'v1')).toEqual({ apiVersion: `${GROUP}/v1`, host: 'h', port: '1', tag: 'one' })
    expect(await shown('one', 'v2')).toEqual({ apiVersion: `${GROUP}/v2`, address: 'h:1', tag: 'one' })
    // The default is that of the version that it is stored as; it is filled in where that is read.
    expect(await shown('two', 'v1')).toEqual({ apiVersion: `${GROUP}/v1`, host: 'g', port: '2', tag: 'one' })
    expect(await shown('two', 'v2')).toEqual({ apiVersion: `${GROUP}/v2`, address: 'g:2', tag: 'one' })
  })

  it('sends and takes integers that are no float64 digit by digit', async () => {
    const serial = '9007199254740993'
    const body = JSON.stringify(site('serial', { serial: 0, host: 'h', port: '1' })).replace(
      ':0',
      `:${serial}`,
    )
    accepted(await place.client.post(first(''), body))
    for (const version of ['v1', 'v2']) {
      const { text } = await place.client.get(first('serial', version))
      expect(/"serial":(\d+)/.exec(text)?.[1]).toBe(serial)
    }
  })

  it('asks with a review for the objects of other versions alone', async () => {
    accepted(await place.client.post(first(''), site('asked', { host: 'h', port: '1' })))
    webhook.requests.length = 0
    await place.client.get(first('asked', 'v2'))
    // What kube-apiserver caches of a version is converted later: a list has all of it.
    accepted(await place.client.get(first('', 'v2')))
    const reviews = webhook.requests.filter(({ request }) => request.objects[0].metadata.name === 'asked')
    expect(reviews[0]).toMatchObject({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: {
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        desiredAPIVersion: `${GROUP}/v2`,
        objects: [{ apiVersion: `${GROUP}/v1`, kind: 'Site', host: 'h', port: '1' }],
      },
    })
    webhook.answer(() => ({}))
    expect((await place.client.get(first('asked'))).status).toBe(200)
  })

  it('takes updates, patches, a status and a scale in each version', async () => {
    accepted(await place.client.post(first(''), site('written', { host: 'h', port: '1' })))
    const path = first('written', 'v2')
    const { body } = await place.client.get(path)
    const put = accepted(await place.client.put(path, { ...body, address: 'i:3' }))
    expect([put.address, put.metadata.generation]).toEqual(['i:3', 2])
    const patched = accepted(await place.client.patch(path, { address: 'j:4', garbage: 1 }))
    expect([patched.address, patched.garbage]).toEqual(['j:4', undefined])
    const status = accepted(await place.client.patch(`${path}/status`, { status: { replicas: 1 } }))
    expect(status.status).toEqual({ replicas: 1 })
    const missing = await place.client.get(`${path}/scale`)
    expect([missing.status, missing.body.message, missing.body.reason]).toEqual([
      500,
      'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
      'InternalError',
    ])
    const scale = accepted(await place.client.patch(`${path}/scale`, { spec: { replicas: 5 } }))
    expect([scale.spec.replicas, scale.status.replicas]).toEqual([5, 1])
    const stored = (await place.client.get(first('written'))).body
    expect(stored).toMatchObject({ host: 'j', port: '4', spec: { replicas: 5 }, status: { replicas: 1 } })
    expect(stored.metadata.generation).toBe(4)
  })

  it('shows watchers the changes of all versions in theirs, in the order of their revisions', async () => {
    const start = (await place.client.get(first(''))).body.metadata.resourceVersion
    const watch = await place.client.watch(`${first('', 'v2')}?resourceVersion=${start}`)
    for (let index = 0; index < 6; index++) {
      const [of, content] = index % 2 === 0 ? ['v1', { host: 'w', port: '1' }] : ['v2', { address: 'w:1' }]
      accepted(await place.client.post(first('', String(of)), site(`watched-${index}`, content, String(of))))
    }
    await place.client.delete(first('watched-0'))
    const events = await watch.until(({ type }) => type === 'DELETED')
    watch.close()
    expect(events.map(({ type, object }) => [type, object.metadata.name, object.address])).toEqual([
      ...[0, 1, 2, 3, 4, 5].map((index) => ['ADDED', `watched-${index}`, 'w:1']),
      ['DELETED', 'watched-0', 'w:1'],
    ])
    const revisions = events.map(({ object }) => Number(object.metadata.resourceVersion))
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b))
  })

  it('takes labels and annotations from the webhook, and nothing else of the metadata', async () => {
    accepted(await place.client.post(first(''), site('labelled', { host: 'h', port: '1' })))
    webhook.answer(
      spoiltObject({
        metadata: {
          labels: { from: 'webhook' },
          annotations: { note: 'yes' },
          finalizers: ['example.com/hold'],
          generation: 42,
          garbage: 'x',
        },
      }),
    )
    const { metadata } = (await place.client.get(first('labelled', 'v2'))).body
    expect(metadata).toMatchObject({
      labels: { from: 'webhook' },
      annotations: { note: 'yes' },
      generation: 1,
    })
    expect([metadata.finalizers, metadata.garbage]).toEqual([undefined, undefined])
  })
}
