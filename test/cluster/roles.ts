import { type ClusterRole, readRoles } from '../end-to-end/cluster-role.ts'
import type { RawClient } from '../support/raw-client.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

/**
 * Gives the roles of files of infra/rbac, and their bindings, to an API server.
 * @param admin may give any role
 */
export async function applyRoles(
  admin: RawClient,
  files?: string | readonly string[],
): Promise<readonly ClusterRole[]> {
  const { roles, bindings } = await readRoles(files)
  for (const role of roles) await mustSucceed(admin.post(`${RBAC}/clusterroles`, role))
  for (const binding of bindings) await mustSucceed(admin.post(`${RBAC}/clusterrolebindings`, binding))
  return roles
}

/** Gives a role that is there already other rules. */
export async function changeRole(admin: RawClient, { metadata, rules }: ClusterRole): Promise<void> {
  await mustSucceed(admin.patch(`${RBAC}/clusterroles/${metadata.name}`, { rules }))
}

async function mustSucceed(response: ReturnType<RawClient['get']>): Promise<void> {
  const { status, text } = await response
  if (status >= 300) throw new Error(`the server refused a role with ${status}: ${text}`)
}
