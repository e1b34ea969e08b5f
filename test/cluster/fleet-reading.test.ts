import { describeReadingOfFleets } from '../end-to-end/fleet/reading.ts'
import { startRealCluster } from './end-to-end-cluster.ts'

describeReadingOfFleets('kube-apiserver', (name) =>
  startRealCluster(name, ['read-only.yaml', 'fleet-read-only.yaml']),
)
