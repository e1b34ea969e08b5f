import { CANARY_USER, describeCanary } from '../end-to-end/canary-suite.ts'
import { startApiServer } from './api-server.ts'

describeCanary('a real kube-apiserver', async () => {
  const server = await startApiServer({ name: 'real', users: [CANARY_USER] })
  return {
    admin: server.kubeconfig.text,
    canary: server.kubeconfigFor(CANARY_USER.token),
    stop: () => server.stop(),
  }
})
