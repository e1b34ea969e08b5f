import { SELECTOR_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { describeEndpointSelectors } from '../end-to-end/endpoint-selectors.ts'
import { startRealCluster } from './end-to-end-cluster.ts'

describeEndpointSelectors('kube-apiserver', (name) => startRealCluster(name, SELECTOR_ROLE_FILES))
