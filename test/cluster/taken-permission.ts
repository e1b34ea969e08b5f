import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type ClusterRole, type Permission, without } from '../end-to-end/cluster-role.ts'
import type { RawClient } from '../support/raw-client.ts'
import { changeRole } from './roles.ts'

const POLL_MS = 25
const ACCESS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

/** A server whose roles a test changes. */
interface RoleHolder {
  /** May give any role. */
  readonly admin: RawClient
  /** Has the role, and no other one that grants the same. */
  readonly user: RawClient
}

/** Takes one permission from a role until the test ends. */
export async function takePermission(
  { admin, user }: RoleHolder,
  role: ClusterRole,
  permission: Permission,
): Promise<void> {
  onTestFinished(async () => {
    await changeRole(admin, role)
    await untilServerGoesBy(user, permission, true)
  })
  await changeRole(admin, without(role, permission))
  await untilServerGoesBy(user, permission, false)
}

/** Waits until the authorizer goes by the role, of which it learns by a watch of its own. */
export async function untilServerGoesBy(
  user: RawClient,
  { group, resource, verb, name: object }: Permission,
  isAllowed: boolean,
): Promise<void> {
  const [name = '', subresource = ''] = resource.split('/')
  const spec = { resourceAttributes: { group, resource: name, subresource, verb, name: object } }
  const isSo = async (): Promise<boolean> =>
    (await user.post(ACCESS, { spec })).body.status.allowed === isAllowed
  while (!(await isSo())) await sleep(POLL_MS)
}
