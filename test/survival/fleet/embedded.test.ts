import { FLEET_ROLE_FILES } from '../../end-to-end/cluster-role.ts'
import { startEmbeddedCluster } from '../../end-to-end/embedded-cluster.ts'
import { describeFleetSurvival } from './suite.ts'

describeFleetSurvival('the embedded control plane', (name, serviceRanges) =>
  startEmbeddedCluster(name, { roleFile: FLEET_ROLE_FILES, crds: true, serviceRanges }),
)
