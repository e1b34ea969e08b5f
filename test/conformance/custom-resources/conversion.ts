import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Json } from '../../support/raw-client.ts'
import { startWebhookServer, type WebhookServer } from '../../support/webhook-server.ts'
import { accepted } from '../subject.ts'
import { convert, spoilt, spoiltObject } from './conversion-webhook.ts'
import { CRDS, conditions, definition, GROUP, PATIENCE, type Scene } from './scene.ts'

const text = { type: 'string' }
const counted = { type: 'object', properties: { replicas: { type: 'integer' } } }
const subresources = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
}

function version(name: string, properties: Json, more: Json = {}): Json {
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: counted, status: counted, ...properties },
  }
  return { name, served: true, storage: false, schema: { openAPIV3Schema }, subresources, ...more }
}

/** Versions that a webhook converts (`spec.conversion.strategy: Webhook`). */
export function describeConversion(scene: Scene): void {
  const { place, objects, define } = scene
  describe('conversion by webhook', () => {
    let webhook: WebhookServer
    const conversion = (review = 'v1'): Json => ({
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: [review],
        clientConfig: { url: `${webhook.url}/convert`, caBundle: webhook.caBundle },
      },
    })
    const versions = [
      version('v1', { host: text, port: text, tag: { ...text, default: 'one' } }, { storage: true }),
      version('v2', { address: text, tag: text }),
    ]
    const site = (name: string, content: Json, of = 'v1', kind = 'Site'): Json => ({
      apiVersion: `${GROUP}/${of}`,
      kind,
      metadata: { name },
      ...content,
    })
    const first = (name: string, of = 'v1', plural = 'sites'): string => objects(plural, name, of)

    beforeAll(async () => {
      webhook = await startWebhookServer(convert)
      await define(definition('sites', {}, { versions, conversion: conversion() }))
    }, 30_000)
    afterAll(async () => webhook.close())
    beforeEach(() => webhook.answer(convert))

    it('shows an object in each version, whichever it was written in', async () => {
      accepted(await place.client.post(first(''), site('one', { host: 'h', port: '1' })))
      accepted(await place.client.post(first('', 'v2'), site('two', { address: 'g:2' }, 'v2')))
      const shown = async (name: string, of: string): Promise<Json> => {
        const { apiVersion, kind, metadata, ...content } = (await place.client.get(first(name, of))).body
        return { apiVersion, ...content }
      }
      expect(await shown('one', 'v1')).toEqual({
        apiVersion: `${GROUP}/v1`,
        host: 'h',
        port: '1',
        tag: 'one',
      })
      expect(await shown('one', 'v2')).toEqual({ apiVersion: `${GROUP}/v2`, address: 'h:1', tag: 'one' })
      // The default is that of the version that it is stored as; it is filled in where that is read.
      expect(await shown('two', 'v1')).toEqual({
        apiVersion: `${GROUP}/v1`,
        host: 'g',
        port: '2',
        tag: 'one',
      })
      expect(await shown('two', 'v2')).toEqual({ apiVersion: `${GROUP}/v2`, address: 'g:2', tag: 'one' })
    })

    it('asks with a review for the objects of other versions alone', async () => {
      accepted(await place.client.post(first(''), site('asked', { host: 'h', port: '1' })))
      webhook.requests.length = 0
      await place.client.get(first('asked', 'v2'))
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

    it('lists and selects objects of all versions in one', async () => {
      accepted(await place.client.post(first(''), site('listed', { host: 'h', port: '1' })))
      await place.client.patch(first('listed'), { metadata: { labels: { listed: 'yes' } } })
      const list = await place.client.get(`${first('', 'v2')}?labelSelector=listed%3Dyes`)
      expect(list.body).toMatchObject({ kind: 'SiteList', apiVersion: `${GROUP}/v2` })
      expect(list.body.items.map((item: Json) => [item.apiVersion, item.address])).toEqual([
        [`${GROUP}/v2`, 'h:1'],
      ])
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

    it('converts what a dry run would store, and stores nothing', async () => {
      const dry = await place.client.post(
        `${first('', 'v2')}?dryRun=All`,
        site('dry', { address: 'h:1' }, 'v2'),
      )
      expect([dry.status, dry.body.address, dry.body.tag]).toEqual([201, 'h:1', 'one'])
      expect((await place.client.get(first('dry'))).status).toBe(404)
    })

    it('deletes in each version, also what a finalizer holds', async () => {
      const held = site('held', { address: 'h:1' }, 'v2')
      held.metadata.finalizers = ['example.com/hold']
      accepted(await place.client.post(first('', 'v2'), held))
      const { body } = await place.client.delete(first('held', 'v2'))
      expect(body).toMatchObject({ apiVersion: `${GROUP}/v2`, address: 'h:1' })
      expect(body.metadata.deletionTimestamp).toBeDefined()
      accepted(await place.client.patch(first('held', 'v2'), { metadata: { finalizers: null } }))
      expect((await place.client.get(first('held'))).status).toBe(404)
    })

    it('shows watchers the changes of all versions in theirs, in the order of their revisions', async () => {
      const start = (await place.client.get(first(''))).body.metadata.resourceVersion
      const watch = await place.client.watch(`${first('', 'v2')}?resourceVersion=${start}`)
      for (let index = 0; index < 6; index++) {
        const [of, content] = index % 2 === 0 ? ['v1', { host: 'w', port: '1' }] : ['v2', { address: 'w:1' }]
        accepted(
          await place.client.post(first('', String(of)), site(`watched-${index}`, content, String(of))),
        )
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

    describe('when the webhook fails', () => {
      const subject = `conversion webhook for ${GROUP}/v1, Kind=Site`
      beforeAll(async () => {
        accepted(await place.client.post(first(''), site('failing', { host: 'h', port: '1' })))
      })

      it.each([
        [
          'tells of a failure',
          spoilt((answer) => {
            answer.response.result = { status: 'Failed', message: 'no way' }
          }),
          `${subject} failed: no way`,
        ],
        [
          'tells of a failure without words',
          spoilt((answer) => {
            answer.response.result = { status: 'Failed' }
          }),
          `${subject} failed: response.result.status was 'Failed', not 'Success'`,
        ],
        [
          'has no response',
          spoilt((answer) => {
            answer.response = undefined
          }),
          `${subject} failed: no response provided`,
        ],
        [
          'answers another kind',
          spoilt((answer) => {
            answer.kind = 'Review'
          }),
          `${subject} failed: no kind "Review" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`,
        ],
        [
          'answers no kind',
          spoilt((answer) => {
            answer.kind = undefined
            answer.apiVersion = undefined
          }),
          `${subject} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
        ],
        [
          'answers another version of the review',
          spoilt((answer) => {
            answer.apiVersion = 'apiextensions.k8s.io/v1beta1'
          }),
          `${subject} failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion`,
        ],
        [
          'gives too few objects',
          spoilt((answer) => {
            answer.response.convertedObjects = []
          }),
          `${subject} returned 0 objects, expected 1`,
        ],
        [
          'gives too many objects',
          spoilt(({ response }) => {
            response.convertedObjects.push(response.convertedObjects[0])
          }),
          `${subject} returned 2 objects, expected 1`,
        ],
        [
          'gives another version',
          spoiltObject((object) => {
            object.apiVersion = `${GROUP}/v3`
          }),
          `${subject} returned invalid object at index 0: invalid groupVersion (expected ${GROUP}/v2, received ${GROUP}/v3)`,
        ],
        [
          'gives another kind',
          spoiltObject((object) => {
            object.kind = 'Other'
          }),
          `${subject} returned invalid object at index 0: invalid kind (expected Site, received Other)`,
        ],
        [
          'gives another name',
          spoiltObject((object) => {
            object.metadata.name = 'other'
          }),
          `${subject} returned invalid object: must have the same name: failing != other`,
        ],
        [
          'gives another namespace',
          spoiltObject((object) => {
            object.metadata.namespace = 'other'
          }),
          `${subject} returned invalid object: must have the same namespace: custom-resources != other`,
        ],
        [
          'gives no metadata',
          spoiltObject((object) => {
            object.metadata = undefined
          }),
          `${subject} returned invalid object: must have the same name: failing != `,
        ],
        [
          'gives labels that are none',
          spoiltObject((object) => {
            object.metadata.labels = { a: 1 }
          }),
          `${subject} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
        ],
        [
          'gives annotations of another type',
          spoiltObject((object) => {
            object.metadata.annotations = 'x'
          }),
          `${subject} returned invalid metadata: invalid metadata.annotations of type string in converted object`,
        ],
        [
          'gives something else than objects',
          spoilt((answer) => {
            answer.response.convertedObjects = ['x']
          }),
          'json: cannot unmarshal string into Go value of type map[string]interface {}',
        ],
        [
          'gives objects that are no list',
          spoilt((answer) => {
            answer.response.convertedObjects = 'x'
          }),
          `${subject} failed: json: cannot unmarshal string into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension`,
        ],
      ])('a get is answered with a 500 that says so: it %s', async (_, answer, message) => {
        webhook.answer(answer)
        const { status, body } = await place.client.get(first('failing', 'v2'))
        expect([status, body.message, body.reason, body.details]).toEqual([
          500,
          message,
          undefined,
          undefined,
        ])
      })

      it('tells of the uid that was asked for and the one that came', async () => {
        webhook.answer(
          spoilt(({ response }) => {
            response.uid = 'other'
          }),
        )
        const { body } = await place.client.get(first('failing', 'v2'))
        expect(body.message).toMatch(/ failed: expected response\.uid="[0-9a-f-]{36}", got "other"$/)
      })

      it('refuses an object whose uid has become another', async () => {
        webhook.answer(
          spoiltObject((object) => {
            object.metadata.uid = 'other'
          }),
        )
        const { body } = await place.client.get(first('failing', 'v2'))
        expect(body.message).toMatch(
          / returned invalid object: must have the same UID: [0-9a-f-]{36} != other$/,
        )
      })

      it.each([
        [500, 'an error on the server ("oops") has prevented the request from succeeding'],
        [404, 'the server could not find the requested resource'],
        [400, 'the server rejected our request for an unknown reason'],
        [
          200,
          `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
        ],
      ])('tells of an answer with the code %i', async (code, why) => {
        webhook.answer((_, response) => {
          response.statusCode = code
          response.end('oops')
        })
        const { body } = await place.client.get(first('failing', 'v2'))
        expect(body.message).toBe(`${subject} failed: ${why}`)
      })

      it('refuses every verb of the other version, and goes on with that of the storage', async () => {
        webhook.answer(
          spoilt((answer) => {
            answer.response.result = { status: 'Failed', message: 'no way' }
          }),
        )
        const path = first('failing', 'v2')
        const attempts = [
          await place.client.get(path),
          await place.client.patch(path, { metadata: { labels: { a: 'b' } } }),
          await place.client.delete(path),
          await place.client.post(first('', 'v2'), site('never', { address: 'h:1' }, 'v2')),
          await place.client.get(`${path}/status`),
          await place.client.patch(`${path}/status`, { status: { replicas: 2 } }),
          await place.client.get(`${path}/scale`),
          await place.client.patch(`${path}/scale`, { spec: { replicas: 2 } }),
        ]
        for (const { status, body } of attempts) {
          expect([status, body.message]).toEqual([500, expect.stringMatching(/Kind=Site failed: no way$/)])
        }
        accepted(await place.client.patch(first('failing'), { host: 'i' }))
        webhook.answer(convert)
        expect((await place.client.get(path)).body.address).toBe('i:1')
      })
    })

    it('takes labels and annotations from the webhook, and nothing else of the metadata', async () => {
      accepted(await place.client.post(first(''), site('labelled', { host: 'h', port: '1' })))
      webhook.answer(
        spoiltObject(({ metadata }) => {
          metadata.labels = { from: 'webhook' }
          metadata.annotations = { note: 'yes' }
          metadata.finalizers = ['example.com/hold']
          metadata.generation = 42
          metadata.garbage = 'x'
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

    describe('owners of fields', () => {
      const apply = (name: string, of: string, content: Json, query: string) =>
        place.client.send('PATCH', `${first(name, of)}?${query}`, {
          body: site(name, content, of),
          headers: { 'content-type': 'application/apply-patch+yaml' },
        })
      const owners = async (name: string, of = 'v1'): Promise<Json> => {
        const { body } = await place.client.get(first(name, of))
        const shown = body.metadata.managedFields.map(({ manager, apiVersion, fieldsV1 }: Json) => [
          manager,
          apiVersion.split('/')[1],
          Object.keys(fieldsV1),
        ])
        return shown.sort()
      }

      it('of another version are asked in theirs when somebody applies', async () => {
        accepted(await apply('owned', 'v2', { address: 'h:1' }, 'fieldManager=a'))
        const refused = await apply('owned', 'v1', { host: 'k' }, 'fieldManager=b')
        expect([refused.status, refused.body.message]).toEqual([
          409,
          'Apply failed with 1 conflict: conflict with "a": .address',
        ])
        accepted(await apply('owned', 'v1', { port: '1' }, 'fieldManager=b'))
        expect(await owners('owned')).toEqual([
          ['a', 'v2', ['f:address']],
          ['b', 'v1', ['f:port']],
        ])
        const forced = accepted(await apply('owned', 'v1', { host: 'k' }, 'fieldManager=b&force=true'))
        expect([forced.host, forced.port]).toEqual(['k', '1'])
        expect(await owners('owned')).toEqual([['b', 'v1', ['f:host']]])
      })

      it('lose in their version what an update of another changes', async () => {
        accepted(await apply('taken', 'v1', { host: 'h', port: '1', tag: 'x' }, 'fieldManager=a'))
        accepted(await place.client.patch(`${first('taken', 'v2')}?fieldManager=b`, { address: 'h:2' }))
        expect(await owners('taken', 'v2')).toEqual([
          ['a', 'v1', ['f:host', 'f:tag']],
          ['b', 'v2', ['f:address']],
        ])
        expect((await place.client.get(first('taken'))).body.port).toBe('2')
      })

      it('may go on in another version, and give up there what they had before', async () => {
        accepted(await apply('moved', 'v2', { address: 'h:1', spec: { replicas: 3 } }, 'fieldManager=a'))
        const moved = accepted(await apply('moved', 'v1', { host: 'h', port: '1' }, 'fieldManager=a'))
        expect([moved.host, moved.port, moved.spec]).toEqual(['h', '1', undefined])
        expect(await owners('moved')).toEqual([['a', 'v1', ['f:host', 'f:port']]])
      })

      it('of another version keep what only its applier gives up', async () => {
        accepted(await apply('kept', 'v2', { address: 'h:1', tag: 'x' }, 'fieldManager=a'))
        accepted(await apply('kept', 'v1', { tag: 'x', port: '1' }, 'fieldManager=b'))
        const left = accepted(await apply('kept', 'v2', {}, 'fieldManager=a'))
        expect([left.address, left.tag]).toEqual([expect.stringContaining(':1'), 'x'])
        expect(await owners('kept')).toEqual([['b', 'v1', ['f:port', 'f:tag']]])
      })
    })

    it('keeps members that are called like those of a prototype out, or as data', async () => {
      accepted(await place.client.post(first(''), site('prototype', { host: 'h', port: '1' })))
      webhook.answer((review, response) => {
        const answer = JSON.stringify(convert(review)).replaceAll(
          '"kind":"Site"',
          '"kind":"Site","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}',
        )
        response.end(answer)
      })
      const { status, text: shown } = await place.client.get(first('prototype', 'v2'))
      expect(status).toBe(200)
      expect(shown).not.toContain('polluted')
    })

    it('speaks v1beta1 with who prefers that, and does not look at its uid', async () => {
      await define(
        definition(
          'olds',
          {},
          { versions, names: { plural: 'olds', kind: 'Old' }, conversion: conversion('v1beta1') },
        ),
      )
      accepted(
        await place.client.post(first('', 'v1', 'olds'), site('old', { host: 'h', port: '1' }, 'v1', 'Old')),
      )
      webhook.requests.length = 0
      webhook.answer(
        spoilt(({ response }) => {
          response.uid = 'other'
        }),
      )
      const { body } = await place.client.get(first('old', 'v2', 'olds'))
      expect(body.address).toBe('h:1')
      expect(webhook.requests[0].apiVersion).toBe('apiextensions.k8s.io/v1beta1')
    })

    it('keeps what is stored in an earlier version when another becomes the one to store', async () => {
      const names = { plural: 'moves', kind: 'Move' }
      const crd = definition('moves', {}, { versions, names, conversion: conversion() })
      await define(crd)
      accepted(
        await place.client.post(
          first('', 'v1', 'moves'),
          site('early', { host: 'h', port: '1' }, 'v1', 'Move'),
        ),
      )
      const moved = versions.map((one: Json) => ({ ...one, storage: one.name === 'v2' }))
      const path = `${CRDS}/${crd.metadata.name}`
      const updated = accepted(await place.client.patch(path, { spec: { versions: moved } }))
      expect(updated.status.storedVersions).toEqual(['v1', 'v2'])
      let attempts = 0
      await vi.waitFor(async () => {
        const late = `late-${attempts++}`
        await place.client.post(first('', 'v2', 'moves'), site(late, { address: 'g:2' }, 'v2', 'Move'))
        webhook.requests.length = 0
        await place.client.get(first(late, 'v1', 'moves'))
        expect(webhook.requests.map(({ request }) => request.objects[0].apiVersion)).toContain(`${GROUP}/v2`)
      }, PATIENCE)
      for (const of of ['v1', 'v2']) {
        const { body } = await place.client.get(first('', of, 'moves'))
        expect(new Set(body.items.map((item: Json) => item.apiVersion))).toEqual(new Set([`${GROUP}/${of}`]))
      }
      const early = await place.client.get(first('early', 'v2', 'moves'))
      expect(early.body.address).toBe('h:1')
      const refused = await place.client.patch(path, { spec: { versions: [moved[1]] } })
      expect(refused.body.message).toContain(
        'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions',
      )
    })

    it('ends watches of a definition that is changed, and shows later ones what is new', async () => {
      const names = { plural: 'ends', kind: 'End' }
      const crd = definition('ends', {}, { versions, names, conversion: conversion() })
      await define(crd)
      const watch = await place.client.watch(first('', 'v2', 'ends'))
      const path = `${CRDS}/${crd.metadata.name}`
      accepted(await place.client.patch(path, { metadata: { labels: { a: 'b' } } }))
      accepted(
        await place.client.post(first('', 'v1', 'ends'), site('seen', { host: 'h', port: '1' }, 'v1', 'End')),
      )
      expect((await watch.next()).object.address).toBe('h:1')
      accepted(
        await place.client.patch(path, {
          spec: { conversion: { webhook: { conversionReviewVersions: ['v1', 'v1beta1'] } } },
        }),
      )
      expect(await watch.next()).toBeUndefined()
      const again = await vi.waitFor(async () => {
        const next = await place.client.watch(first('', 'v2', 'ends'))
        // The storage of the new definition may not be ready yet.
        expect((await next.next())?.object.metadata.name).toBe('seen')
        return next
      }, PATIENCE)
      accepted(await place.client.delete(path))
      expect((await again.until(({ type }) => type === 'DELETED')).at(-1).object.metadata.name).toBe('seen')
      expect(await again.next()).toBeUndefined()
    })

    it('checks definitions as kube-apiserver does', async () => {
      const url = 'https://example.com/convert'
      const cases: [Json, string][] = [
        [{}, 'spec.conversion.strategy: Required value'],
        [
          { strategy: 'Other' },
          'spec.conversion.strategy: Unsupported value: "Other": supported values: "None", "Webhook"',
        ],
        [
          { strategy: 'Webhook' },
          '[spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook, spec.conversion.conversionReviewVersions: Required value]',
        ],
        [
          { strategy: 'None', webhook: { clientConfig: { url }, conversionReviewVersions: ['v1'] } },
          '[spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook, spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook]',
        ],
        [
          { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } },
          'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required',
        ],
        [
          {
            strategy: 'Webhook',
            webhook: { clientConfig: { url: 'http://example.com' }, conversionReviewVersions: ['v1'] },
          },
          `spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
        ],
        [
          {
            strategy: 'Webhook',
            webhook: { clientConfig: { service: { port: 0 } }, conversionReviewVersions: ['v1'] },
          },
          '[spec.conversion.webhookClientConfig.service.name: Required value, spec.conversion.webhookClientConfig.service.namespace: Required value, spec.conversion.webhookClientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive]',
        ],
        [
          { strategy: 'Webhook', webhook: { clientConfig: { url }, conversionReviewVersions: ['v2', 'v2'] } },
          '[spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version, spec.conversion.conversionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1]',
        ],
      ]
      for (const [given, message] of cases) {
        const crd = definition('checks', {}, { conversion: given })
        const { status, body } = await place.client.post(`${CRDS}?dryRun=All`, crd)
        expect([status, body.message]).toEqual([
          422,
          `CustomResourceDefinition.apiextensions.k8s.io "checks.${GROUP}" is invalid: ${message}`,
        ])
      }
    })

    it('takes a bundle without certificates until the definition is served', async () => {
      const url = 'https://example.com/convert'
      const bad = Buffer.from('foo').toString('base64')
      const webhookOf = (caBundle: string): Json => ({
        strategy: 'Webhook',
        webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: ['v1'] },
      })
      const crd = definition('bundles', {}, { conversion: webhookOf(bad) })
      expect((await place.client.post(`${CRDS}?dryRun=All`, crd)).status).toBe(201)
      await define(definition('bundles'))
      const path = `${CRDS}/bundles.${GROUP}`
      const { status, body } = await place.client.patch(path, { spec: { conversion: webhookOf(bad) } })
      expect(status).toBe(422)
      expect(body.message).toContain(
        'spec.conversion.webhookClientConfig.caBundle: Invalid value: "Zm9v": unable to load root certificates: unable to parse bytes as PEM block',
      )
    })
  })

  describe('groups of the Kubernetes project', () => {
    const APPROVED = 'api-approved.kubernetes.io'
    const crd = (annotation?: string): Json => {
      const base = definition('gadgets', {}, { group: 'conformance.k8s.io' })
      const annotations = annotation === undefined ? {} : { [APPROVED]: annotation }
      return { ...base, metadata: { name: 'gadgets.conformance.k8s.io', annotations } }
    }

    it('are for those who say that they may use them', async () => {
      const at = `metadata.annotations[${APPROVED}]`
      const policy = 'see https://github.com/kubernetes/enhancements/pull/1111'
      const needed = `protected groups must have approval annotation "${APPROVED}"`
      const missing = await place.client.post(CRDS, crd())
      expect(missing.body.message).toContain(`${at}: Required value: ${needed}, ${policy}`)
      const invalid = await place.client.post(CRDS, crd('foo'))
      expect(invalid.body.message).toContain(
        `${at}: Invalid value: "foo": ${needed} with either a URL or a reason starting with "unapproved", ${policy}`,
      )
    })

    it('have a condition that tells whether they may', async () => {
      const body = crd('unapproved, an experiment')
      await define(body)
      const path = `${CRDS}/${body.metadata.name}`
      const type = 'KubernetesAPIApprovalPolicyConformant'
      const told = async (): Promise<Json> =>
        (await place.client.get(path)).body.status.conditions.find((known: Json) => known.type === type)
      await vi.waitFor(async () => {
        expect(await told()).toMatchObject({
          status: 'False',
          reason: 'UnapprovedAnnotation',
          message: 'not approved: "unapproved, an experiment"',
        })
      }, PATIENCE)
      const approval = 'https://github.com/kubernetes/kubernetes/pull/1'
      accepted(await place.client.patch(path, { metadata: { annotations: { [APPROVED]: approval } } }))
      await vi.waitFor(async () => {
        expect(await told()).toMatchObject({
          status: 'True',
          reason: 'ApprovedAnnotation',
          message: `approved in ${approval}`,
        })
      }, PATIENCE)
      // Three controllers write one condition each, in no order that is promised.
      expect(conditions((await place.client.get(path)).body).toSorted()).toEqual([
        'Established=True',
        `${type}=True`,
        'NamesAccepted=True',
      ])
    })
  })
}
