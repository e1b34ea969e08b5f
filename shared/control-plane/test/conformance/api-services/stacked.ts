import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { createRawClient, type Json, type RawClient } from '../../../../../test/support/raw-client.ts'
import {
  builtinResources,
  type ControlPlane,
  createControlPlane,
  type ResourceDefinition,
} from '../../../index.ts'
import { accepted, type Place } from '../subject.ts'
import { API_SERVICES, apiService, conditionOf, PATIENCE } from './scene.ts'

const GROUP = 'stacked.example.com'
const ROOT = `/apis/${GROUP}/v1`
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const databases: ResourceDefinition = {
  group: GROUP,
  version: 'v1',
  kind: 'Database',
  plural: 'databases',
  singular: 'database',
  shortNames: ['db'],
  namespaced: true,
  table: {
    columns: [{ name: 'Name', type: 'string', format: 'name' }],
    cells: ({ metadata }) => [metadata.name ?? ''],
  },
}
/** Answers who has asked. */
const callers: ResourceDefinition = {
  group: GROUP,
  version: 'v1',
  kind: 'Caller',
  plural: 'callers',
  singular: 'caller',
  namespaced: false,
  verbs: ['create'],
  table: { columns: [], cells: () => [] },
  strategy: { answer: (object, { user }) => ({ ...object, status: structuredClone({ user }) as Json }) },
}

/** Describes the embedded control plane as an extension server, behind whichever server is under test. */
export function describeStackedControlPlanes(place: Place): void {
  describe('a control plane behind another API server', () => {
    let behind: ControlPlane
    let direct: RawClient
    const path = `${ROOT}/namespaces/${place.namespace}/databases`

    beforeAll(async () => {
      const { body } = await place.client.get(
        '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
      )
      behind = await createControlPlane({
        apis: { resources: [...builtinResources('generic'), databases, callers] },
        authentication: {
          requestHeader: {
            clientAuthorities: [body.data['requestheader-client-ca-file']],
            allowedNames: JSON.parse(body.data['requestheader-allowed-names']),
          },
        },
        authorization: 'RBAC',
      })
      const { port } = await behind.listen({ names: [`stacked.${place.namespace}.svc`] })
      direct = createRawClient(behind.kubeconfig)
      accepted(await direct.post('/api/v1/namespaces', { metadata: { name: place.namespace } }))
      const caBundle = parse(behind.kubeconfig).clusters[0].cluster['certificate-authority-data']
      await place.create('services', {
        metadata: { name: 'stacked' },
        spec: { type: 'ExternalName', externalName: 'localhost' },
      })
      const service = { namespace: place.namespace, name: 'stacked', port }
      accepted(await place.client.post(API_SERVICES, apiService({ service, caBundle }, GROUP)))
      await vi.waitFor(async () => {
        expect(await conditionOf(place, `v1.${GROUP}`)).toMatchObject({ reason: 'Passed' })
        expect((await place.client.get(path)).status).toBe(200)
      }, PATIENCE)
    })
    afterAll(async () => {
      await place.client.delete(`${API_SERVICES}/v1.${GROUP}`)
      direct?.close()
      await behind?.close()
    })

    it('serves objects, lists, tables and watches', async () => {
      const { client } = place
      const list = accepted(await client.get(path))
      const watch = await client.watch(`${path}?resourceVersion=${list.metadata.resourceVersion}`)
      const sent = { apiVersion: `${GROUP}/v1`, kind: 'Database', metadata: { name: 'a' }, spec: { size: 1 } }
      const made = accepted(await client.post(path, sent))
      expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } })
      accepted(await client.patch(`${path}/a`, { spec: { size: 2 } }))
      expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { spec: { size: 2 } } })
      const { body } = await client.get(path, { accept: TABLE })
      expect(body.rows.map(({ cells }: Json) => cells)).toEqual([['a']])
      expect((await client.post(path, sent)).status).toBe(409)
      accepted(await client.delete(`${path}/a`))
      expect(await watch.next()).toMatchObject({
        type: 'DELETED',
        object: { metadata: { uid: made.metadata.uid } },
      })
      watch.close()
    })

    it('learns the user of a request', async () => {
      const ask = { apiVersion: `${GROUP}/v1`, kind: 'Caller', metadata: {} }
      const admin = accepted(await place.client.post(`${ROOT}/callers`, ask)).status.user
      expect(admin.username).toMatch(/admin$/)
      expect(admin.groups).toEqual(['system:masters', 'system:authenticated'])
      await grant(place.client, 'ada', ['callers'], ['create'])
      await grant(direct, 'ada', ['callers'], ['create'])
      const headers = {
        'impersonate-user': 'ada',
        'impersonate-uid': 'u-1',
        'impersonate-group': 'editors',
        'impersonate-extra-example.com%2fscope': 'a',
      }
      const { body } = await vi.waitFor(async () => {
        const answer = await place.client.send('POST', `${ROOT}/callers`, { body: ask, headers })
        expect(answer.status).toBe(201)
        return answer
      }, PATIENCE)
      expect(body.status.user).toEqual({
        username: 'ada',
        uid: 'u-1',
        groups: ['editors', 'system:authenticated'],
        extra: { 'example.com/scope': ['a'] },
      })
    })
  })
}

async function grant(client: RawClient, user: string, resources: string[], verbs: string[]): Promise<void> {
  const name = `stacked-${user}`
  const rules = [{ apiGroups: [GROUP], resources, verbs }]
  accepted(await client.post(`${RBAC}/clusterroles`, { metadata: { name }, rules }))
  accepted(
    await client.post(`${RBAC}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
    }),
  )
}
