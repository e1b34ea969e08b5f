import { FLEET_ROLE_FILES } from '../cluster-role.ts'
import { startEmbeddedCluster } from '../embedded-cluster.ts'
import { describeRoles } from './roles.ts'
import { describeFleetServices } from './suite.ts'

describeFleetServices('the embedded control plane', (name) =>
  startEmbeddedCluster(name, { roleFile: [...FLEET_ROLE_FILES, 'endpoint-selectors.yaml'], crds: true }),
)

describeRoles('the embedded control plane', (name, roleFile) =>
  startEmbeddedCluster(name, { roleFile, crds: true }),
)
