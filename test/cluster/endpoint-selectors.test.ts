import { ENDPOINT_SELECTORS } from '../../shared/kubernetes/index.ts'
import { readRoles, SELECTOR_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { describeEndpointSelectors } from '../end-to-end/endpoint-selectors.ts'
import { describeKep6116 } from '../end-to-end/kep-6116.ts'
import { useCluster } from '../end-to-end/use-cluster.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { notedCluster, startCollectors } from './selector-clusters.ts'
import { describeSelectorPermissions } from './selector-permissions.ts'

const start = (name: string): Promise<RealCluster> => startRealCluster(name, SELECTOR_ROLE_FILES)

const planned = notedCluster(start)
describeKep6116('kube-apiserver', {
  startCluster: planned.start,
  startControllers: () => startCollectors(planned.current()),
})

describeEndpointSelectors('kube-apiserver', start)

const restricted = notedCluster(start)
describeSelectorPermissions({
  cluster: useCluster(restricted.start),
  started: restricted.current,
  roles: (await readRoles('endpoint-selectors.yaml')).roles,
  resource: ENDPOINT_SELECTORS,
})
