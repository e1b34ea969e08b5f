import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt } from '../../apimachinery/json/values.ts'
import { TestServer } from '../../testing/test-client.ts'
import { startWebhookServer, type WebhookServer } from '../../testing/webhook-server.ts'

vi.setConfig({ testTimeout: 30_000 })

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const path = (version: string, name = ''): string =>
  `/apis/example.com/${version}/namespaces/default/sites${name === '' ? '' : `/${name}`}`
const site = (name: string, version = 'v1'): JsonObject => ({
  apiVersion: `example.com/${version}`,
  kind: 'Site',
  metadata: { name },
  host: 'h',
})

describe('a conversion webhook that means no good', () => {
  let webhook: WebhookServer
  let server: TestServer

  beforeAll(async () => {
    webhook = await startWebhookServer(() => ({}))
    server = await TestServer.start({ apis: { crds: true } })
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const clientConfig = { url: webhook.url, caBundle: webhook.caBundle }
    const spec = {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'sites', kind: 'Site' },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    }
    const metadata = { name: 'sites.example.com' }
    const body = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec }
    expect((await server.ask('POST', CRDS, { body })).status).toBe(201)
    await vi.waitFor(async () => expect((await server.ask('GET', path('v1'))).status).toBe(200), 15_000)
    expect((await server.ask('POST', path('v1'), { body: site('stored') })).status).toBe(201)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await webhook.close()
  })
  beforeEach(() => {
    webhook.requests.length = 0
  })

  const convert = (review: JsonObject, members: JsonObject = {}): JsonObject => {
    const { uid, desiredAPIVersion, objects } = objectAt(review, 'request')
    const convertedObjects = (objects as JsonObject[]).map((object) => ({
      ...object,
      ...members,
      apiVersion: desiredAPIVersion,
    }))
    return { ...review, response: { uid, result: { status: 'Success' }, convertedObjects } }
  }

  it('and never answers keeps nobody waiting but those who asked for its objects', async () => {
    const asked = new Promise<ServerResponse>((resolve) => {
      webhook.answer((_, response) => void resolve(response))
    })
    const waiting = server.ask('GET', path('v2', 'stored'))
    const response = await asked
    expect((await server.ask('GET', path('v1', 'stored'))).status).toBe(200)
    expect((await server.ask('POST', path('v1'), { body: site('meanwhile') })).status).toBe(201)
    expect((await server.ask('GET', '/api/v1/namespaces/default')).status).toBe(200)
    expect((await server.ask('DELETE', path('v1', 'meanwhile'))).status).toBe(200)
    response.destroy()
    expect((await waiting).status).toBe(500)
  })

  it('with a long answer is quoted only in part', async () => {
    const message = 'x'.repeat(1_000_000)
    webhook.answer((review) => ({
      ...review,
      response: { uid: review.request.uid, result: { status: 'Failed', message } },
    }))
    const { text } = await server.ask('GET', path('v2', 'stored'))
    expect(text.length).toBeLessThan(3000)
  })

  it('and names members like those of a prototype changes no other object', async () => {
    webhook.answer((review, response) => {
      const text = JSON.stringify(convert(review, { marker: 1 }))
      response.end(text.replaceAll('"marker":1', '"__proto__":{"polluted":1},"constructor":{"polluted":1}'))
    })
    const { status, text } = await server.ask('GET', path('v2', 'stored'))
    expect(status).toBe(200)
    // The schema keeps everything: it is data like any other.
    expect(text).toContain('"__proto__":{"polluted":1}')
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    const plain = await server.ask('GET', path('v1', 'stored'))
    expect(plain.text).not.toContain('polluted')
  })

  it('and sends the server to another place is not followed', async () => {
    const target = await startWebhookServer(() => ({}))
    webhook.answer((_, response) => {
      response.statusCode = 307
      response.setHeader('location', target.url)
      response.end()
    })
    expect((await server.ask('GET', path('v2', 'stored'))).status).toBe(500)
    expect(target.requests).toEqual([])
    await target.close()
  })
})
