import { testDeployed } from '../deployed/suite.ts'
import { startRealCluster } from './end-to-end-cluster.ts'

testDeployed((name, options) => startRealCluster(name, options?.roleFile))
