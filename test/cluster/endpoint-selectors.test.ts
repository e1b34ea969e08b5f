import { ENDPOINT_SELECTORS } from '../../shared/kubernetes/index.ts'
import { readRoles, SELECTOR_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { describeEndpointSelectors } from '../end-to-end/endpoint-selectors.ts'
import { useCluster } from '../end-to-end/use-cluster.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { describeSelectorPermissions } from './selector-permissions.ts'

const start = (name: string): Promise<RealCluster> => startRealCluster(name, SELECTOR_ROLE_FILES)

describeEndpointSelectors('kube-apiserver', start)

let cluster: RealCluster
describeSelectorPermissions({
  cluster: useCluster(async (name) => {
    cluster = await start(name)
    return cluster
  }),
  started: () => cluster,
  roles: (await readRoles('endpoint-selectors.yaml')).roles,
  resource: ENDPOINT_SELECTORS,
})
