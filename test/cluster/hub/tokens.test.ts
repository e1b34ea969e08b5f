import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { bundleImage } from '../../../infra/bundling/index.ts'
import { createRawClient, type Json, type RawClient } from '../../support/raw-client.ts'
import { createWorkload } from '../../support/workload.ts'
import { type ApiServer, startApiServer } from '../api-server.ts'
import { freePort } from '../free-port.ts'
import { applyRoles } from '../roles.ts'
import { clientOf } from '../run-command.ts'
import { startPod } from './kubelet.ts'
import { renderChart } from './render.ts'

const SETTLE_SECONDS = 60
const NAMESPACE = '/api/v1/namespaces/sliceflow'
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
/** Both who makes the tokens and whom they are for: a cluster trusts itself. */
const ISSUER = 'https://kubernetes.default.svc'

describe('a pod of the chart without rights in its own cluster', () => {
  let server: ApiServer
  let admin: RawClient
  let image: string

  beforeAll(async () => {
    image = await mkdtemp(join(tmpdir(), 'sliceflow-image-'))
    await bundleImage(image)
    server = await startApiServer({ name: 'eu-1' })
    admin = createRawClient(server.kubeconfig.text)
  })
  afterAll(async () => {
    admin?.close()
    await server?.stop()
    await rm(image, { recursive: true })
  })

  async function create(path: string, object: Json): Promise<Json> {
    const { status, text, body } = await admin.post(path, object)
    if (status !== 201) throw new Error(`the server refused it with ${status}: ${text}`)
    return body
  }

  async function bindRoles(): Promise<void> {
    await applyRoles(admin)
    for (const name of ['sliceflow', 'sliceflow-relay'])
      await create(BINDINGS, {
        metadata: { name: `${name}-account` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'ServiceAccount', name: 'sliceflow', namespace: 'sliceflow' }],
      })
  }

  it('reaches a cluster by a token for it alone, in the file that the kubeconfig names', async () => {
    const user = { tokenFile: '/var/run/secrets/sliceflow/eu-1' }
    const config = stringify({ ...parse(server.kubeconfig.text), users: [{ name: 'eu-1', user }] })
    const objects = await renderChart({
      hub: { managed: false },
      metrics: { port: await freePort() },
      kubeconfig: { secret: 'clusters', contexts: ['eu-1'], tokens: [{ name: 'eu-1', audience: ISSUER }] },
    })
    await create('/api/v1/namespaces', { metadata: { name: 'sliceflow' } })
    await create(`${NAMESPACE}/serviceaccounts`, objects.get('ServiceAccount'))
    await create(`${NAMESPACE}/secrets`, { metadata: { name: 'clusters' }, stringData: { config } })
    await bindRoles()
    const { spec } = objects.get('Deployment').spec.template
    const pod = await create(`${NAMESPACE}/pods`, { metadata: { name: 'sliceflow' }, spec })
    const load = createWorkload({
      client: await clientOf(server.kubeconfig.text),
      services: 5,
      podsPerService: 5,
      seed: 800,
    })
    await load.createAll()
    const started = await startPod({ server, admin, pod, image })
    try {
      expect((await load.settle(SETTLE_SECONDS)).differences, started.log).toEqual([])
    } finally {
      expect(await started.terminate()).toBe(0)
    }
  })
})
