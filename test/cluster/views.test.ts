import { describeWalkthrough } from '../views/walkthrough.ts'
import { startApiServer } from './api-server.ts'
import { startControllerManager } from './controller-manager.ts'

describeWalkthrough('kube-apiserver with the in-tree controller’s slices', async () => {
  const server = await startApiServer()
  return {
    kubeconfig: server.kubeconfig.text,
    stop: () => server.stop(),
    async makeSlices(_connection, kubeconfig) {
      const controllers = ['endpointslice-controller', 'garbage-collector-controller']
      const manager = await startControllerManager({ kubeconfig, controllers })
      return () => manager.stop()
    },
  }
})
