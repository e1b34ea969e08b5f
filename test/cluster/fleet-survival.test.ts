import { FLEET_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { describeFleetSurvival } from '../survival/fleet/suite.ts'
import { startRealCluster } from './end-to-end-cluster.ts'

describeFleetSurvival('kube-apiserver', (name, serviceRanges) =>
  startRealCluster(name, FLEET_ROLE_FILES, serviceRanges),
)
