import { FLEET_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { describeRoles } from '../end-to-end/fleet/roles.ts'
import { describeFleetServices } from '../end-to-end/fleet/suite.ts'
import { startRealCluster } from './end-to-end-cluster.ts'

describeFleetServices('kube-apiserver', (name) =>
  startRealCluster(name, [...FLEET_ROLE_FILES, 'endpoint-selectors.yaml']),
)
describeRoles('kube-apiserver', startRealCluster)
