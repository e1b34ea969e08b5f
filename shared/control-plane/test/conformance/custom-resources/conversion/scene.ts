import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Json } from '../../../../../../test/support/raw-client.ts'
import { startWebhookServer, type WebhookServer } from '../../../../testing/webhook-server.ts'
import { definition, GROUP, type Scene } from '../scene.ts'
import { convert } from './webhook.ts'

const text = { type: 'string' }
const serial = { type: 'integer' }
const counted = { type: 'object', properties: { replicas: { type: 'integer' } } }
const subresources = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
}

function version(name: string, properties: Json, more: Json = {}): Json {
  const openAPIV3Schema = { type: 'object', properties: { spec: counted, status: counted, ...properties } }
  return { name, served: true, storage: false, schema: { openAPIV3Schema }, subresources, ...more }
}

/** `sites` of two versions, between which a webhook converts. */
export interface ConversionScene extends Pick<Scene, 'place' | 'define'> {
  /** Converts as it should at the beginning of each test. */
  readonly webhook: Pick<WebhookServer, 'answer' | 'requests'>
  readonly versions: readonly Json[]
  /** Returns a `spec.conversion` that names the webhook. */
  conversion(review?: string): Json
  site(name: string, content: Json, version?: string, kind?: string): Json
  /** Returns the path of an object, or of the collection if the name is empty. */
  first(name: string, version?: string, plural?: string): string
}

export function useConversionScene({ place, objects, define }: Scene): ConversionScene {
  let server: WebhookServer
  const conversion = (review = 'v1'): Json => ({
    strategy: 'Webhook',
    webhook: {
      conversionReviewVersions: [review],
      clientConfig: { url: `${server.url}/convert`, caBundle: server.caBundle },
    },
  })
  const versions = [
    version('v1', { host: text, port: text, serial, tag: { ...text, default: 'one' } }, { storage: true }),
    version('v2', { address: text, serial, tag: text }),
  ]
  const site = (name: string, content: Json, of = 'v1', kind = 'Site'): Json => ({
    apiVersion: `${GROUP}/${of}`,
    kind,
    metadata: { name },
    ...content,
  })
  const first = (name: string, of = 'v1', plural = 'sites'): string => objects(plural, name, of)
  beforeAll(async () => {
    server = await startWebhookServer(convert)
    await define(definition('sites', {}, { versions, conversion: conversion() }))
  }, 120_000)
  afterAll(async () => server.close())
  beforeEach(() => server.answer(convert))

  const webhook: ConversionScene['webhook'] = {
    get requests() {
      return server.requests
    },
    answer: (handler) => server.answer(handler),
  }
  return { place, define, webhook, versions, conversion, site, first }
}
