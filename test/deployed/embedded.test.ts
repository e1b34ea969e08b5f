import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { testDeployed } from './suite.ts'

testDeployed(startEmbeddedCluster)
