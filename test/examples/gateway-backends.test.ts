import { SELECTOR_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { describeGatewayBackends, MINIMAL_DEFINITIONS } from './gateway-backends.ts'

describeGatewayBackends('the embedded control plane', {
  startCluster: (name) =>
    startEmbeddedCluster(name, {
      roleFile: SELECTOR_ROLE_FILES,
      crds: true,
      controllers: ['namespace', 'serviceaccount', 'garbage-collector'],
    }),
  definitions: async () => MINIMAL_DEFINITIONS,
})
