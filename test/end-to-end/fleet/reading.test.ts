import { startEmbeddedCluster } from '../embedded-cluster.ts'
import { describeReadingOfFleets } from './reading.ts'

describeReadingOfFleets('the embedded control plane', (name) =>
  startEmbeddedCluster(name, { roleFile: 'fleet-read-only.yaml', crds: true }),
)
