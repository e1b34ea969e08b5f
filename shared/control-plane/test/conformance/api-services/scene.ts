import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { type ExtensionServer, startExtensionServer } from '../../../testing/extension-server.ts'
import { accepted, type Place } from '../subject.ts'

export const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'
export const GROUP = 'agg.example.com'
export const NAME = `v1.${GROUP}`
export const ZS = `/apis/${GROUP}/v1/namespaces/api-services/zs`
/** kube-apiserver looks again at what has failed after half a minute at most. */
export const PATIENCE = { timeout: 120_000, interval: 100 }

/** An extension server behind an APIService, which the tests of one block share. */
export interface Scene {
  readonly place: Place
  readonly extension: ExtensionServer
  /**
   * Resolves with the condition `Available` once it has these members: a busy server may find another reason,
   * or words, before.
   */
  available(members: Json, name?: string): Promise<Json>
  /** Has the server looked at again. */
  lookAgain(): Promise<void>
}

/** Returns the conditions of an APIService, by type. */
export async function conditionOf({ client }: Place, name: string): Promise<Json> {
  const { body } = await client.get(`${API_SERVICES}/${name}`)
  return body.status?.conditions?.find(({ type }: Json) => type === 'Available')
}

export function apiService(spec: Json, group = GROUP, version = 'v1'): Json {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: { group, version, groupPriorityMinimum: 1000, versionPriority: 15, ...spec },
  }
}

export function useScene(place: Place): Scene {
  let started: ExtensionServer | undefined
  const extension = (): ExtensionServer => {
    if (started === undefined) throw new Error('the extension server is there within tests only')
    return started
  }
  const scene: Scene = {
    place,
    get extension() {
      return extension()
    },
    available: (members, name = NAME) =>
      vi.waitFor(async () => {
        const condition = await conditionOf(place, name)
        expect(condition).toMatchObject(members)
        return condition
      }, PATIENCE),
    async lookAgain() {
      const labels = { looked: randomUUID() }
      accepted(await place.client.patch(place.path('services', 'ext'), { metadata: { labels } }))
    },
  }
  beforeAll(async () => {
    const { body } = await place.client.get(
      '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
    )
    started = await startExtensionServer({
      host: 'ext.api-services.svc',
      frontProxyAuthority: body.data['requestheader-client-ca-file'],
      group: GROUP,
    })
    await place.create('services', {
      metadata: { name: 'ext' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    })
    const { port, caBundle } = started
    const service = { namespace: place.namespace, name: 'ext', port }
    accepted(await place.client.post(API_SERVICES, apiService({ service, caBundle })))
    await scene.available({ reason: 'Passed' })
    // kube-apiserver hears of it a little later than of the condition.
    await vi.waitFor(async () => expect((await place.client.get(ZS)).status).toBe(200), PATIENCE)
  })
  afterAll(async () => {
    await place.client.delete(`${API_SERVICES}/${NAME}`)
    await started?.stop()
  })
  return scene
}
