import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { type ControlPlane, createControlPlane } from '../../../shared/control-plane/index.ts'
import {
  type ApiClient,
  type ApiObject,
  NAMESPACES,
  type Resource,
} from '../../../shared/kubernetes/index.ts'
import { serverOf, withServer, withToken } from '../../../test/support/kubeconfig.ts'
import { openKubeconfigs } from '../../../test/support/kubeconfig-folder.ts'
import { startScriptedServer } from '../../../test/support/scripted-server.ts'
import type { Permission } from '../../preflight/index.ts'

const rbac = (kind: string): Resource<ApiObject & Record<string, unknown>> => ({
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind },
  ...{ plural: `${kind.toLowerCase()}s`, namespaced: false },
})
const CLUSTER_ROLES = rbac('ClusterRole')
const CLUSTER_ROLE_BINDINGS = rbac('ClusterRoleBinding')

const USER = { username: 'sliceflow', groups: ['sliceflow'] }
/** Token of the user `sliceflow`, who has the permissions that a test grants. */
const TOKEN = 'sliceflow-token'
/** A JSON Web Token that ends at a time, in seconds since the epoch. */
export function tokenUntil(exp: number): string {
  const parts = [{ alg: 'none' }, { sub: 'sliceflow', exp }, {}]
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
}

/** Token of the same user that ends in an hour. */
export const SOON_TOKEN = tokenUntil(Math.floor(Date.now() / 1000) + 3_600)
/** Token of the same user that ends after any date. */
const ENDLESS_TOKEN = tokenUntil(Number.MAX_SAFE_INTEGER)
/** Name of the role that {@link GuardedCluster.grant} makes. */
const ROLE = 'granted'

/** A cluster with RBAC, its administrator, and a user who has the permissions that a test grants. */
export interface GuardedCluster {
  readonly admin: ApiClient
  /** Kubeconfig of the administrator. */
  readonly adminText: string
  /** Kubeconfig of that user. */
  readonly text: string
  /** Writes a kubeconfig, and returns its name. */
  file(text: string): Promise<string>
  /** Grants exactly these permissions. */
  grant(permissions: readonly Permission[]): Promise<void>
  /** Serves the cluster once more, with another answer at `/version` and another clock. */
  front(answers: { readonly version?: string; readonly date?: Date }): Promise<string>
  /** Listens on loopback, accepts connections and says nothing; returns the port. */
  silence(): Promise<number>
  stop(): Promise<void>
}

export async function startGuardedCluster(name: string): Promise<GuardedCluster> {
  const kubeconfigs = await openKubeconfigs()
  const closing = new AsyncDisposableStack()
  const plane = await createControlPlane({
    authorization: 'RBAC',
    authentication: { tokens: { [TOKEN]: USER, [SOON_TOKEN]: USER, [ENDLESS_TOKEN]: USER } },
    apis: { crds: true },
  })
  closing.defer(() => plane.close())
  await plane.listen({ context: name })
  const { client: admin } = await kubeconfigs.connect(plane.kubeconfig)
  closing.defer(() => kubeconfigs.close())
  await admin.create(NAMESPACES, { metadata: { name: 'shop' } })
  await admin.create(CLUSTER_ROLES, { metadata: { name: ROLE }, rules: [] })
  await bind(admin)
  const text = withToken(plane.kubeconfig, TOKEN)
  return {
    admin,
    adminText: plane.kubeconfig,
    text,
    file: kubeconfigs.write,
    async grant(permissions) {
      await admin.patch(CLUSTER_ROLES, { name: ROLE }, { rules: permissions.map(ruleOf) })
    },
    front: (answers) => startFront(plane, answers, closing),
    silence: () => startSilence(closing),
    stop: () => closing.disposeAsync(),
  }
}

async function bind(admin: ApiClient): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io'
  await admin.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name: ROLE },
    roleRef: { apiGroup, kind: 'ClusterRole', name: ROLE },
    subjects: [{ apiGroup, kind: 'User', name: 'sliceflow' }],
  })
}

const ruleOf = ({ group, resource, verb, name }: Permission): object => ({
  ...{ apiGroups: [group], resources: [resource], verbs: [verb] },
  ...(name !== undefined && { resourceNames: [name] }),
})

/** Returns the kubeconfig of a server that passes on all requests, and says another version and time. */
async function startFront(
  plane: ControlPlane,
  { version, date }: { readonly version?: string; readonly date?: Date },
  closing: AsyncDisposableStack,
): Promise<string> {
  const front = await startScriptedServer()
  closing.defer(() => front.close())
  const target = serverOf(plane.kubeconfig)
  front.answer((request, response) => {
    if (date !== undefined) response.setHeader('date', date.toUTCString())
    if (request.url === '/version' && version !== undefined)
      return void response.end(JSON.stringify({ gitVersion: version }))
    const { url: path = '/', method, headers } = request
    const { hostname: host, port } = target
    const outgoing = httpsRequest({ host, port, path, method, headers, rejectUnauthorized: false })
    outgoing.on('response', (answer) => {
      const { date: own, ...rest } = answer.headers
      response.writeHead(answer.statusCode ?? 502, { ...rest, ...(date === undefined && { date: own }) })
      answer.pipe(response)
    })
    request.pipe(outgoing)
  })
  const { ca } = await front.connection.credentials()
  return withToken(withServer(plane.kubeconfig, front.connection.server.origin, String(ca)), TOKEN)
}

async function startSilence(closing: AsyncDisposableStack): Promise<number> {
  const server = createServer((socket) => closing.defer(() => void socket.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.defer(() => void server.close())
  return (server.address() as AddressInfo).port
}
