import { startApiServer } from '../../../../test/cluster/api-server.ts'
import { createRawClient } from '../../../../test/support/raw-client.ts'
import { describeApiServer } from '../conformance/api-server.ts'

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
      // The watch cache still has what etcd has forgotten, until the server starts again.
      await server.restart()
    },
    async stop() {
      client.close()
      await server.stop()
    },
  }
})
