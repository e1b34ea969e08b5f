import { startEmbeddedCluster } from './embedded-cluster.ts'
import { describeEndToEnd } from './suite.ts'

describeEndToEnd('the embedded control plane', (name) => startEmbeddedCluster(name))
