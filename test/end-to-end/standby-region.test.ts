import { describe } from 'vitest'
import { startEmbeddedCluster } from './embedded-cluster.ts'
import { describeStandbyRegion } from './standby-region.ts'
import { useCluster } from './use-cluster.ts'

describe('Sliceflow on the embedded control plane', () => {
  describeStandbyRegion(useCluster((name) => startEmbeddedCluster(name)))
})
