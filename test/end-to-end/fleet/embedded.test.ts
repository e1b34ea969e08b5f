import { startEmbeddedCluster } from '../embedded-cluster.ts'
import { describeFleetServices } from './suite.ts'

describeFleetServices('the embedded control plane', startEmbeddedCluster)
