import { describe, expect, it, vi } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { CRDS, createDefinition, definition } from '../custom-resources/scene.ts'
import { accepted, type Place } from '../subject.ts'
import { API_SERVICES, apiService, PATIENCE } from './scene.ts'

const MANAGED = 'kube-aggregator.kubernetes.io/automanaged'
const LOCAL = {
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
}

export function describeLocalApiServices(place: Place): void {
  describe('APIServices of the server itself', () => {
    it.each([
      ['v1.', { version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 }],
      [
        'v1.rbac.authorization.k8s.io',
        {
          group: 'rbac.authorization.k8s.io',
          version: 'v1',
          groupPriorityMinimum: 17_000,
          versionPriority: 15,
        },
      ],
    ])('are there from the start: %s', async (name, spec) => {
      const { metadata, ...rest } = accepted(await place.client.get(`${API_SERVICES}/${name}`))
      expect(metadata.labels).toEqual({ [MANAGED]: 'onstart' })
      expect(rest.spec).toEqual(spec)
      expect(rest.status.conditions).toEqual([{ ...LOCAL, lastTransitionTime: expect.any(String) }])
    })

    it('are shown by kubectl as local', async () => {
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
      const { body } = await place.client.get(`${API_SERVICES}/v1.`, { accept })
      expect(body.columnDefinitions.map(({ name }: Json) => name)).toEqual([
        'Name',
        'Service',
        'Available',
        'Age',
      ])
      expect(body.rows[0].cells.slice(0, 3)).toEqual(['v1.', 'Local', 'True'])
    })

    it('follow the custom resources, whatever becomes of them meanwhile', async () => {
      const { client } = place
      const group = 'local.example.com'
      const path = `${API_SERVICES}/v1.${group}`
      await createDefinition(client, definition('gadgets', {}, { group }))
      const registered = (): Promise<Json> =>
        vi.waitFor(async () => {
          const body = accepted(await client.get(path))
          expect(body.metadata.deletionTimestamp).toBeUndefined()
          return body
        }, PATIENCE)
      const first = await registered()
      expect(first.metadata.labels).toEqual({ [MANAGED]: 'true' })
      const spec = { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 }
      expect(first.spec).toEqual(spec)
      expect(first.status.conditions).toMatchObject([LOCAL])

      accepted(await client.delete(path))
      const second = await registered()
      expect(second.metadata.uid).not.toBe(first.metadata.uid)

      accepted(await client.patch(path, { spec: { versionPriority: 7 } }))
      await expect.poll(async () => (await client.get(path)).body.spec, PATIENCE).toEqual(spec)

      accepted(await client.delete(`${CRDS}/gadgets.${group}`))
      await expect.poll(async () => (await client.get(path)).status, PATIENCE).toBe(404)
    })

    it('may be made by anybody, and are not touched then', async () => {
      const { client } = place
      const path = `${API_SERVICES}/v1.nowhere.example.com`
      const made = accepted(await client.post(API_SERVICES, apiService({}, 'nowhere.example.com')))
      expect(made.status.conditions).toMatchObject([LOCAL])
      await vi.waitFor(async () => {
        const { body } = await client.get('/apis')
        expect(body.groups.map(({ name }: Json) => name)).toContain('nowhere.example.com')
      }, PATIENCE)
      expect((await client.get('/apis/nowhere.example.com/v1')).status).toBe(404)
      accepted(await client.delete(path))
      await expect
        .poll(async () => (await client.get('/apis/nowhere.example.com')).status, PATIENCE)
        .toBe(404)
    })
  })

  describe('the ConfigMap for extension servers', () => {
    it('publishes the trusted authorities', async () => {
      const { body } = await place.client.get(
        '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
      )
      expect(body.data).toEqual({
        'client-ca-file': expect.stringContaining('BEGIN CERTIFICATE'),
        'requestheader-client-ca-file': expect.stringContaining('BEGIN CERTIFICATE'),
        'requestheader-allowed-names': '["front-proxy-client"]',
        'requestheader-username-headers': '["X-Remote-User"]',
        'requestheader-uid-headers': '["X-Remote-Uid"]',
        'requestheader-group-headers': '["X-Remote-Group"]',
        'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      })
    })

    it('is made again', async () => {
      const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'
      const before = accepted(await place.client.get(path))
      accepted(await place.client.delete(path))
      await expect
        .poll(async () => accepted(await place.client.get(path)).data, PATIENCE)
        .toEqual(before.data)
    })
  })
}
