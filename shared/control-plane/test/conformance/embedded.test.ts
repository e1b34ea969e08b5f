import { createRawClient } from '../../../../test/support/raw-client.ts'
import { createControlPlane } from '../../index.ts'
import { describeApiServer } from './api-server.ts'

/** Small, so that a few writes are enough to leave it. */
const HISTORY_WINDOW = 200

describeApiServer('the embedded control plane', async () => {
  const controlPlane = await createControlPlane({
    apis: { crds: true, apiServices: true },
    storage: { historyWindow: HISTORY_WINDOW },
    // As kube-apiserver's by default.
    authentication: { anonymous: true },
    authorization: 'RBAC',
  })
  await controlPlane.listen()
  const { kubeconfig } = controlPlane
  const client = createRawClient(kubeconfig)
  return {
    kubeconfig,
    async expire() {
      const path = '/api/v1/namespaces/default'
      for (let write = 0; write <= HISTORY_WINDOW; write++) {
        await client.patch(path, { metadata: { labels: { write: String(write) } } })
      }
    },
    async stop() {
      client.close()
      await controlPlane.close()
    },
  }
})
