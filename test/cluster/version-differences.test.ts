import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../shared/endpointslice/index.ts'
import type { FleetContext } from '../../shared/fleet/fleet-context.ts'
import { derivedWrite } from '../../shared/fleet/import/write-import.ts'
import { createRawClient, type Json, type RawClient } from '../support/raw-client.ts'
import { makeSlice } from '../support/world/index.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { KUBERNETES_MINOR } from './binaries.ts'
import { clientOf } from './run-command.ts'

const NAMESPACE = '/api/v1/namespaces/default'
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'
const MINOR = Number(KUBERNETES_MINOR.replace('1.', ''))

let server: ApiServer
let client: RawClient

beforeAll(async () => {
  server = await startApiServer()
  client = createRawClient(server.kubeconfig.text)
})
afterAll(async () => {
  client?.close()
  await server?.stop()
})

const service = (name: string, spec: Json = {}): Json => ({
  metadata: { name },
  spec: { ports: [{ name: 'http', port: 80, protocol: 'TCP' }], ...spec },
})

/** docs/kubernetes-versions.md says how Sliceflow meets each of them. */
describe(`what differs between the versions of Kubernetes, on ${KUBERNETES_MINOR}`, () => {
  it('a Service may prefer the same zone or node from 1.34 on', async () => {
    for (const trafficDistribution of ['PreferSameZone', 'PreferSameNode']) {
      const created = await client.post(
        `${NAMESPACE}/services`,
        service(trafficDistribution.toLowerCase(), { trafficDistribution }),
      )
      expect(created.status, created.text).toBe(MINOR >= 34 ? 201 : 422)
      if (MINOR < 34) expect(created.body.details.causes[0].field).toBe('spec.trafficDistribution')
    }
  })

  it.each(['PreferSameZone', 'PreferSameNode'] as const)(
    'a derived Service with %s is made on each, before 1.34 with PreferClose',
    async (trafficDistribution) => {
      const connected = await clientOf(server.kubeconfig.text)
      const owner = {
        apiVersion: 'multicluster.x-k8s.io/v1beta1',
        metadata: { namespace: 'default', name: trafficDistribution.toLowerCase(), uid: 'uid-1' },
      }
      const ports = [{ port: 80, protocol: 'TCP' as const }]
      const spec = { type: 'ClusterSetIP' as const, ports, trafficDistribution }
      const writeOf = (existing?: Service) =>
        derivedWrite(
          { client: connected, version: 'v1beta1', member: { cluster: 'real', id: 'real', role: 'both' } },
          existing,
          { owner, wanted: { set: 'default', spec } },
          { signal: new AbortController().signal } as FleetContext,
        )
      const created = await writeOf()?.()
      expect(created?.spec?.trafficDistribution).toBe(MINOR >= 34 ? trafficDistribution : 'PreferClose')
      const again = await writeOf(created)?.()
      expect((again ?? created)?.metadata?.resourceVersion).toBe(created?.metadata?.resourceVersion)
    },
  )

  it('hints for nodes are stored from 1.34 on, and taken out before', async () => {
    const hints = { forZones: [{ name: 'a' }], forNodes: [{ name: 'n' }] }
    const slice = makeSlice({ name: 'hints', endpoints: [{ addresses: ['10.1.0.1'], hints }] })
    const { body, status, text } = await client.post(SLICES, { ...slice, metadata: { name: 'hints' } })
    expect(status, text).toBe(201)
    expect(body.endpoints[0].hints).toEqual(MINOR >= 34 ? hints : { forZones: hints.forZones })
  })

  it('a list can be streamed as a watch from 1.34 on', async () => {
    const { status } = await client.get(
      `${SLICES}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`,
    )
    expect(status).toBe(MINOR >= 34 ? 200 : 422)
  })

  it('addresses must be in their canonical form from 1.36 on', async () => {
    const endpoints = { metadata: { name: 'legacy' }, subsets: [{ addresses: [{ ip: '010.1.0.1' }] }] }
    const { status, text } = await client.post(`${NAMESPACE}/endpoints`, endpoints)
    expect(status, text).toBe(MINOR >= 36 ? 422 : 201)
  })

  it('the name of a Service may begin with a digit from 1.36 on', async () => {
    const { status, text } = await client.post(`${NAMESPACE}/services`, service('1abc'))
    expect(status, text).toBe(MINOR >= 36 ? 201 : 422)
  })

  it('Endpoints go with their Service before 1.37, without any controller', async () => {
    await client.post(`${NAMESPACE}/services`, service('gone'))
    await client.post(`${NAMESPACE}/endpoints`, { metadata: { name: 'gone' } })
    await client.delete(`${NAMESPACE}/services/gone`)
    expect((await client.get(`${NAMESPACE}/endpoints/gone`)).status).toBe(MINOR >= 37 ? 200 : 404)
  })

  it('a slice without addresses is refused on each, with other words and the same field', async () => {
    const { status, body } = await client.post(SLICES, {
      metadata: { name: 'empty' },
      addressType: 'IPv4',
      endpoints: [{ addresses: [] }],
    })
    expect(status).toBe(422)
    expect(body.details.causes).toContainEqual(
      expect.objectContaining({ reason: 'FieldValueRequired', field: 'endpoints[0].addresses' }),
    )
  })

  it('Endpoints are called deprecated on each', async () => {
    const { headers } = await client.get(`${NAMESPACE}/endpoints`)
    expect(headers.warning).toContain('v1 Endpoints is deprecated in v1.33+')
  })
})
