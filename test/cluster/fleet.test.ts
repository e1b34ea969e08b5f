import { describeFleetServices } from '../end-to-end/fleet/suite.ts'
import { startRealCluster } from './end-to-end-cluster.ts'

describeFleetServices('kube-apiserver', startRealCluster)
