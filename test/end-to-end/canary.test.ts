import { parse } from 'yaml'
import { createControlPlane } from '../../shared/control-plane/index.ts'
import { kubeconfigText } from '../support/kubeconfig.ts'
import { CANARY_USER, describeCanary } from './canary-suite.ts'

describeCanary('the embedded control plane', async () => {
  const { token, user: username, groups } = CANARY_USER
  const controlPlane = await createControlPlane({
    authentication: { tokens: { [token]: { username, groups } } },
    authorization: 'RBAC',
  })
  await controlPlane.listen()
  const { kubeconfig: admin } = controlPlane
  const [{ cluster }] = parse(admin).clusters
  const { server, 'certificate-authority-data': authority } = cluster
  return {
    admin,
    canary: kubeconfigText([
      { name: 'a', server, authority: Buffer.from(authority, 'base64').toString(), user: { token } },
    ]),
    stop: () => controlPlane.close(),
  }
})
