import { SLICEFLOW_TOKEN, SLICEFLOW_USER, type TestCluster } from '../end-to-end/cluster.ts'
import { withoutPods } from '../end-to-end/cluster-role.ts'
import { createRawClient, type RawClient } from '../support/raw-client.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { applyRoles, changeRole } from './roles.ts'

/** A cluster on the real API server, which the scenarios may also freeze and restart. */
export interface RealCluster extends TestCluster {
  readonly server: ApiServer
}

const POLL_MS = 25

/**
 * Starts a real API server with the ClusterRole applied. It enforces owners of slices, as clusters do that
 * harden garbage collection.
 * @param roleFiles of infra/rbac; default: that of a Sliceflow that reconciles
 * @param serviceRanges default: one of each family
 */
export async function startRealCluster(
  name: string,
  roleFiles?: readonly string[],
  serviceRanges?: readonly string[],
): Promise<RealCluster> {
  const server = await startApiServer({
    name,
    users: [{ token: SLICEFLOW_TOKEN, user: SLICEFLOW_USER }],
    flags: [
      '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
      ...(serviceRanges === undefined ? [] : [`--service-cluster-ip-range=${serviceRanges.join(',')}`]),
    ],
  })
  const admin = createRawClient(server.kubeconfig.text)
  const user = createRawClient(server.kubeconfigFor(SLICEFLOW_TOKEN))
  const roles = await applyRoles(admin, roleFiles)
  await untilPodsAre(user, true)
  return {
    server,
    admin: server.kubeconfig.text,
    user: server.kubeconfigFor(SLICEFLOW_TOKEN),
    async setPodsReadable(readable) {
      for (const role of roles) await changeRole(admin, readable ? role : withoutPods(role))
      await untilPodsAre(user, readable)
    },
    async stop() {
      admin.close()
      user.close()
      await server.stop()
    },
  }
}

/** Waits until the authorizer knows the roles, of which it learns by a watch of its own. */
async function untilPodsAre(user: RawClient, readable: boolean): Promise<void> {
  while (((await user.get('/api/v1/pods?limit=1')).status === 200) !== readable) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
