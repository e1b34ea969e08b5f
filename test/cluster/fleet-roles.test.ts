import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { customResourceDefinitions } from '../../shared/fleet/crds/index.ts'
import { FLEET_ROLES, type Permission, permissionsOf, readRoles } from '../end-to-end/cluster-role.ts'
import { createRawClient, type Json, type RawClient } from '../support/raw-client.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { applyRoles } from './roles.ts'

const MCS = 'multicluster.x-k8s.io'
const ACCESS = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const PLACES: Readonly<Record<string, string>> = {
  services: '/api/v1/namespaces/default/services',
  endpointslices: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
  serviceimports: `/apis/${MCS}/v1beta1/namespaces/default/serviceimports`,
  serviceexports: `/apis/${MCS}/v1beta1/namespaces/default/serviceexports`,
}
const FUNCTION = { token: 'function-token', user: 'a-function', groups: ['sliceflow'] }

describe('the roles of a cluster set', () => {
  let server: ApiServer
  let admin: RawClient
  let user: RawClient

  beforeAll(async () => {
    const flags = ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement']
    server = await startApiServer({ users: [FUNCTION], flags })
    admin = createRawClient(server.kubeconfig.text)
    user = createRawClient(server.kubeconfigFor(FUNCTION.token))
    for (const definition of customResourceDefinitions()) await admin.post(CRDS, definition)
    const roles = await applyRoles(admin, FLEET_ROLES)
    for (const role of roles)
      for (const permission of permissionsOf(role))
        while (!(await isAllowed(role.metadata.name, permission))) await sleep(50)
  })
  afterAll(async () => {
    admin?.close()
    user?.close()
    await server?.stop()
  })

  /** Reports whether the group that the role is bound to is allowed something. */
  async function isAllowed(
    role: string,
    { group, resource, verb, name: object }: Permission,
  ): Promise<boolean> {
    const [name = '', subresource = ''] = resource.split('/')
    const groups = [role.endsWith('-relay') ? 'sliceflow-relay' : 'sliceflow']
    const resourceAttributes = { group, resource: name, subresource, verb, name: object }
    const { body } = await admin.post(ACCESS, { spec: { user: 'somebody', groups, resourceAttributes } })
    return body.status.allowed
  }

  const must = async (answer: ReturnType<RawClient['get']>): Promise<Json> => {
    const { status, text, body } = await answer
    expect(status, text).toBeLessThan(300)
    return body
  }

  it('let the function make an import with all that it owns, change it, and take it away', async () => {
    const object = { apiVersion: `${MCS}/v1beta1`, kind: 'ServiceImport', metadata: { name: 'web' } }
    const spec = { type: 'ClusterSetIP', ports: [{ name: 'http', port: 80 }] }
    const made = await must(user.post(`${PLACES.serviceimports}`, { ...object, spec }))
    const ownerReferences = [
      { ...object, metadata: undefined, name: 'web', uid: made.metadata.uid, controller: false },
    ]
    const metadata = { name: 'derived-web', ownerReferences }
    const derived = await must(user.post(`${PLACES.services}`, { metadata, spec: { ports: spec.ports } }))
    const slice = { metadata, addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }] }
    const written = await must(user.post(`${PLACES.endpointslices}`, slice))
    const updated = await must(
      user.put(`${PLACES.serviceimports}/web`, { ...made, spec: { ...spec, ips: derived.spec.clusterIPs } }),
    )
    await must(user.put(`${PLACES.serviceimports}/web/status`, { ...updated, status: { clusters: [] } }))
    await must(user.put(`${PLACES.services}/derived-web`, derived))
    await must(user.put(`${PLACES.endpointslices}/derived-web`, written))
    await must(user.get(`${PLACES.endpointslices}?labelSelector=a%3Db`))
    for (const place of ['endpointslices/derived-web', 'services/derived-web', 'serviceimports/web']) {
      const [plural = '', name] = place.split('/')
      await must(user.delete(`${PLACES[plural]}/${name}`))
    }
  })

  it('let it tell of an export, and change nothing else of it', async () => {
    const object = { apiVersion: `${MCS}/v1beta1`, kind: 'ServiceExport', metadata: { name: 'web' } }
    await must(admin.post(`${PLACES.serviceexports}`, object))
    const read = await must(user.get(`${PLACES.serviceexports}/web`))
    await must(user.put(`${PLACES.serviceexports}/web/status`, { ...read, status: { conditions: [] } }))
    expect((await user.put(`${PLACES.serviceexports}/web`, read)).status).toBe(403)
    expect((await user.delete(`${PLACES.serviceexports}/web`)).status).toBe(403)
  })

  it('are of resources and verbs that there are, and none of them is more than reading but for the function', async () => {
    const { roles } = await readRoles([...FLEET_ROLES, 'fleet-read-only.yaml'])
    const writing = /^(create|update|delete|patch|deletecollection|\*)$/
    for (const role of roles) {
      const writes = permissionsOf(role).filter(({ verb }) => writing.test(verb))
      if (/-(relay|read-only)$/.test(role.metadata.name)) expect(writes).toEqual([])
      for (const { resource } of permissionsOf(role)) {
        const path = [...Object.values(PLACES), '/api/v1/namespaces'].find((place) =>
          place.endsWith(`/${resource.split('/')[0]}`),
        )
        expect((await admin.get(`${path}`)).status).toBe(200)
      }
    }
    const ofExports = roles.find(({ metadata }) => metadata.name === 'sliceflow-fleet-export')
    expect(permissionsOf(ofExports ?? { rules: [] }).filter(({ verb }) => writing.test(verb))).toEqual([
      { group: MCS, resource: 'serviceexports/status', verb: 'update' },
    ])
  })
})
