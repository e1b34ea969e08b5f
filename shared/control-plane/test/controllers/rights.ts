import type { RawClient } from '../../../../test/support/raw-client.ts'

/** The user that controllers in a process of their own are, in tests. */
export const CONTROLLERS_USER = { token: 'controllers-token', user: 'controllers' }

/** Roles of kube-apiserver's bootstrap policy. The controllers need nothing else. */
const ROLES = [
  'system:kube-controller-manager',
  'system:controller:namespace-controller',
  'system:controller:service-account-controller',
  'system:controller:generic-garbage-collector',
  'system:controller:clusterrole-aggregation-controller',
  'system:controller:root-ca-cert-publisher',
  'system:controller:resourcequota-controller',
]

/** Gives the controllers' user the rights that the controllers need. */
export async function grantRights(admin: RawClient): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io'
  for (const name of ROLES) {
    const { status, text } = await admin.post(`/apis/${apiGroup}/v1/clusterrolebindings`, {
      metadata: { name: `controllers-${name.replaceAll(':', '-')}` },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [{ apiGroup, kind: 'User', name: CONTROLLERS_USER.user }],
    })
    if (status !== 201) throw new Error(`failed to bind the role ${name}: ${text}`)
  }
}
