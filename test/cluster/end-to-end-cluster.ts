import { SLICEFLOW_TOKEN, SLICEFLOW_USER, type TestCluster } from '../end-to-end/cluster.ts'
import { type ClusterRole, readClusterRole, withoutPods } from '../end-to-end/cluster-role.ts'
import { createRawClient, type RawClient } from '../support/raw-client.ts'
import { type ApiServer, startApiServer } from './api-server.ts'

/** A cluster on the real API server, which the scenarios may also freeze and restart. */
export interface RealCluster extends TestCluster {
  readonly server: ApiServer
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const POLL_MS = 25

/** A real API server with the ClusterRole applied; owners of slices are enforced as on clusters that harden garbage collection. */
export async function startRealCluster(name: string): Promise<RealCluster> {
  const server = await startApiServer({
    name,
    users: [{ token: SLICEFLOW_TOKEN, user: SLICEFLOW_USER }],
    flags: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
  })
  const admin = createRawClient(server.kubeconfig.text)
  const user = createRawClient(server.kubeconfigFor(SLICEFLOW_TOKEN))
  const { role, binding } = await readClusterRole()
  await mustSucceed(admin.post(`${RBAC}/clusterroles`, role))
  await mustSucceed(admin.post(`${RBAC}/clusterrolebindings`, binding))
  await untilPodsAre(user, true)
  return {
    server,
    admin: server.kubeconfig.text,
    user: server.kubeconfigFor(SLICEFLOW_TOKEN),
    async setPodsReadable(readable) {
      const { rules }: ClusterRole = readable ? role : withoutPods(role)
      await mustSucceed(admin.patch(`${RBAC}/clusterroles/${role.metadata.name}`, { rules }))
      await untilPodsAre(user, readable)
    },
    async stop() {
      admin.close()
      user.close()
      await server.stop()
    },
  }
}

/** The authorizer learns of roles by a watch of its own. */
async function untilPodsAre(user: RawClient, readable: boolean): Promise<void> {
  while (((await user.get('/api/v1/pods?limit=1')).status === 200) !== readable) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

async function mustSucceed(response: ReturnType<RawClient['get']>): Promise<void> {
  const { status, text } = await response
  if (status >= 300) throw new Error(`the server refused a role with ${status}: ${text}`)
}
