import { describeApiServer } from '../../shared/control-plane/test/conformance/api-server.ts'
import { createRawClient } from '../support/raw-client.ts'
import { startApiServer } from './api-server.ts'

describeApiServer('kube-apiserver', async () => {
  const server = await startApiServer()
  const client = createRawClient(server.kubeconfig.text)
  let writes = 0
  return {
    kubeconfig: server.kubeconfig.text,
    async expire() {
      const labels = { write: String(writes++) }
      const { body } = await client.patch('/api/v1/namespaces/default', { metadata: { labels } })
      await server.compact(body.metadata.resourceVersion)
      // The watch cache still has what etcd has forgotten, until the server starts anew.
      await server.restart()
    },
    async stop() {
      client.close()
      await server.stop()
    },
  }
})
