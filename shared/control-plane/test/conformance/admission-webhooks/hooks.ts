import { afterAll, beforeAll, vi } from 'vitest'
import type { Json, RawResponse } from '../../../../../test/support/raw-client.ts'
import {
  startWebhookServer,
  type WebhookHandler,
  type WebhookServer,
} from '../../../testing/webhook-server.ts'
import { accepted, PATIENCE, type Place } from '../subject.ts'

const API = '/apis/admissionregistration.k8s.io/v1'

export type HookKind = 'mutating' | 'validating'

/** A webhook server for one block of tests, with configurations that end with it. */
export interface Hooks {
  readonly server: WebhookServer
  /** Reviews that the webhooks have got for objects of that name, in their order. */
  reviewsOf(name: string): Json[]
  /** Sets the answer to reviews. Reviews of the object by which a configuration is probed do not count. */
  answer(handler: WebhookHandler): void
  /**
   * Creates a configuration with a webhook for each of these, and waits until the server calls them; removed
   * with the block.
   */
  register(kind: HookKind, name: string, ...webhooks: Json[]): Promise<void>
  /** Removes a configuration, and waits until the server calls its webhooks no longer. */
  remove(kind: HookKind, name: string): Promise<void>
}

/** Makes the answer that allows a review. */
export const allow = (review: Json, more: Json = {}): Json => ({
  apiVersion: review.apiVersion,
  kind: 'AdmissionReview',
  response: { uid: review.request.uid, allowed: true, ...more },
})

export const deny = (review: Json, status?: Json): Json => allow(review, { allowed: false, status })

/** Makes an answer that changes the object. */
export const change = (review: Json, ...operations: Json[]): Json =>
  allow(review, { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') })

export const add = (path: string, value: Json): Json => ({ op: 'add', path, value })

export const pathOf = (kind: HookKind, name = ''): string =>
  `${API}/${kind}webhookconfigurations${name === '' ? '' : `/${name}`}`

/** Makes the rules of one kind of objects. */
export const rule = (resources: string, operations: string[] = ['*'], apiGroups = ['']): Json => ({
  operations,
  apiGroups,
  apiVersions: ['*'],
  resources: resources.split(' '),
})

/** Selects requests in the section's namespace, so that other sections notice nothing. */
const inNamespace = (namespace: string): Json => ({
  matchLabels: { 'kubernetes.io/metadata.name': namespace },
})

/** Starts a webhook server, and configurations for the tests of a block. */
export function useHooks(place: Place): Hooks {
  let server: WebhookServer | undefined
  let handler: WebhookHandler = (review) => allow(review)
  const registered = new Map<string, { kind: HookKind; name: string }>()
  const started = (): WebhookServer => {
    if (!server) throw new Error('the webhook server is there within tests only')
    return server
  }
  beforeAll(async () => {
    server = await startWebhookServer((review, response, path) => handler(review, response, path))
  })
  afterAll(async () => {
    for (const { kind, name } of registered.values()) await place.client.delete(pathOf(kind, name))
    await server?.close()
  })
  const hooks: Hooks = {
    get server() {
      return started()
    },
    reviewsOf: (name) =>
      started().requests.filter((review) =>
        [review.request.name, review.request.object?.metadata.name].includes(name),
      ),
    answer: (next) => {
      handler = (review, response, path) => (isProbe(review) ? allow(review) : next(review, response, path))
    },
    async register(kind, name, ...webhooks) {
      const all = [...webhooks, probeOf(place.namespace, name)].map((webhook, index) => ({
        name: `w${index}.${name}.example.com`,
        clientConfig: { url: `${started().url}/${name}/${index}`, caBundle: started().caBundle },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        namespaceSelector: inNamespace(place.namespace),
        ...webhook,
      }))
      accepted(await place.client.post(pathOf(kind), { metadata: { name }, webhooks: all }))
      registered.set(`${kind}/${name}`, { kind, name })
      await noticed(async () => await isCalled(place, hooks, name))
    },
    async remove(kind, name) {
      accepted(await place.client.delete(pathOf(kind, name)))
      registered.delete(`${kind}/${name}`)
      await noticed(async () => !(await isCalled(place, hooks, name)))
    },
  }
  return hooks
}

async function noticed(condition: () => Promise<boolean>): Promise<void> {
  const check = async () => {
    if (!(await condition())) throw new Error('the server has not noticed the configuration')
  }
  await vi.waitFor(check, PATIENCE)
}

const PROBE = 'probe-of-'

/** Makes a webhook for objects that only this file creates. It shows that the configuration counts. */
const probeOf = (namespace: string, name: string): Json => ({
  rules: [rule('secrets', ['CREATE'])],
  namespaceSelector: inNamespace(namespace),
  objectSelector: { matchLabels: { probe: name } },
})

const isProbe = (review: Json): boolean =>
  review.request.resource.resource === 'secrets' &&
  String(review.request.object?.metadata.generateName ?? '').startsWith(PROBE)

async function isCalled(place: Place, { server }: Hooks, name: string): Promise<boolean> {
  const before = server.requests.length
  const metadata = { generateName: `${PROBE}${name}-`, labels: { probe: name } }
  accepted(await place.client.post(`${place.path('secrets')}?dryRun=All`, { metadata }))
  return server.requests.slice(before).some(isProbe)
}

/** Status, reason, message and code of an answer, as the tests compare them. */
export const outcomeOf = ({ status, body }: RawResponse): Json[] => [status, body.reason, body.message]
