import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Permission, permissionsOf, readRoles } from '../../end-to-end/cluster-role.ts'
import { createRawClient, type RawClient } from '../../support/raw-client.ts'
import { type ApiServer, startApiServer } from '../api-server.ts'
import { kubectlOnBase } from './render.ts'

type Kustomization = Readonly<Record<string, unknown>>
interface Account {
  readonly namespace: string
  readonly name: string
}

/** Two instances of the base in one cluster, each in a namespace and with names of its own. */
const instance = (namespace: string, namePrefix: string): Kustomization => ({
  namespace,
  namePrefix,
  components: ['fleet'],
  labels: [{ includeSelectors: true, pairs: { 'app.kubernetes.io/instance': namespace } }],
})
const ONE = { kustomization: instance('edge', 'a-'), account: { namespace: 'edge', name: 'a-sliceflow' } }
const TWO = { kustomization: instance('shop', 'b-'), account: { namespace: 'shop', name: 'b-sliceflow' } }
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews'

let server: ApiServer
let admin: RawClient
let folder: string
let kubeconfig: string
let needed: readonly Permission[]

beforeAll(async () => {
  server = await startApiServer({ name: 'hub' })
  admin = createRawClient(server.kubeconfig.text)
  folder = await mkdtemp(join(tmpdir(), 'sliceflow-apply-'))
  kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, server.kubeconfig.text, { mode: 0o600 })
  const { roles } = await readRoles(['cluster-role.yaml', 'fleet-export.yaml', 'fleet-import.yaml'])
  needed = roles
    .filter(({ metadata }) => metadata.name !== 'sliceflow-view-publisher')
    .flatMap((role) => [...permissionsOf(role)])
})
afterAll(async () => {
  admin?.close()
  await server?.stop()
  if (folder !== undefined) await rm(folder, { recursive: true })
})

const kubectl = (command: readonly string[], { kustomization }: typeof ONE): Promise<string> =>
  kubectlOnBase(['--kubeconfig', kubeconfig, ...command, '-k'], kustomization)

/** Lists what a ServiceAccount may do of what Sliceflow needs. */
async function allowed({ namespace, name }: Account): Promise<string[]> {
  const answers = await Promise.all(
    needed.map(async ({ group, resource: path, verb, name: object }) => {
      const [resource, subresource] = path.split('/')
      const resourceAttributes = { group, resource, subresource, verb, name: object }
      const spec = { user: `system:serviceaccount:${namespace}:${name}`, resourceAttributes }
      const { status, text, body } = await admin.post(REVIEWS, { spec })
      expect(status, text).toBe(201)
      return body.status.allowed ? [`${verb} ${path}.${group}`] : []
    }),
  )
  return answers.flat().toSorted()
}

const all = (): string[] =>
  needed.map(({ group, resource, verb }) => `${verb} ${resource}.${group}`).toSorted()

describe('the Kustomize base, applied twice in one cluster', () => {
  it('binds the rights of each to its own ServiceAccount, and to none of another namespace', async () => {
    for (const one of [ONE, TWO]) expect(await kubectl(['apply'], one)).toContain('deployment.apps/')
    for (const { account } of [ONE, TWO]) {
      expect(await allowed(account)).toEqual(all())
      const { namespace, name } = account
      const read = await admin.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`)
      expect(read.body.spec.template.spec.serviceAccountName).toBe(name)
      const found = await admin.get(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}`)
      expect(found.status).toBe(200)
    }
    const others = [
      { namespace: 'sliceflow', name: 'sliceflow' },
      { namespace: 'edge', name: 'sliceflow' },
      { namespace: 'edge', name: 'b-sliceflow' },
      { namespace: 'shop', name: 'a-sliceflow' },
      { namespace: 'edge', name: 'default' },
    ]
    for (const other of others) expect([other, await allowed(other)]).toEqual([other, []])
  })

  it('changes nothing when it is applied again', async () => {
    const { namespace, name } = ONE.account
    const versions = () =>
      Promise.all(
        [
          `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`,
          `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/${name}`,
          `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${name}-hub`,
          `/api/v1/namespaces/${namespace}`,
        ].map(async (path) => (await admin.get(path)).body.metadata.resourceVersion),
      )
    const before = await versions()
    await kubectl(['apply'], ONE)
    expect(await versions()).toEqual(before)
  })
})
