import { vi } from 'vitest'
import { NATIVE_ENDPOINT_SELECTORS } from '../../shared/kubernetes/index.ts'
import { readRoles, SELECTOR_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { describeKep6116 } from '../end-to-end/kep-6116.ts'
import { describeNativeSelectors } from '../end-to-end/native-selectors.ts'
import { createRawClient } from '../support/raw-client.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { changeRole } from './roles.ts'
import { notedCluster, startCollectors } from './selector-clusters.ts'

/**
 * API servers up to 1.37 do not serve the kind, and answer 404 for a definition in their own group. A group
 * of the tests' own stands for it, in the one place that names the group.
 */
vi.mock(import('../../shared/kubernetes/resources.ts'), async (original) => {
  const resources = await original()
  const native = { ...resources.NATIVE_ENDPOINT_SELECTORS, group: 'discovery.sliceflow.example' }
  return { ...resources, NATIVE_ENDPOINT_SELECTORS: native }
})

const { group } = NATIVE_ENDPOINT_SELECTORS
/** The roles, with the group that stands for the API server's own. */
const roles = (await readRoles('endpoint-selectors.yaml')).roles.map((role) => ({
  ...role,
  rules: role.rules.map((rule) => ({ ...rule, apiGroups: [...rule.apiGroups, group] })),
}))

async function start(name: string): Promise<RealCluster> {
  const cluster = await startRealCluster(name, SELECTOR_ROLE_FILES)
  const admin = createRawClient(cluster.admin)
  for (const role of roles) await changeRole(admin, role)
  admin.close()
  return cluster
}

const switched = notedCluster(start)
describeNativeSelectors('kube-apiserver', switched.start, () => startCollectors(switched.current()))

const planned = notedCluster(start)
describeKep6116('kube-apiserver, natively', {
  startCluster: planned.start,
  startControllers: () => startCollectors(planned.current()),
  api: NATIVE_ENDPOINT_SELECTORS,
})
