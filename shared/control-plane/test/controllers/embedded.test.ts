import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withToken } from '../../../../test/support/kubeconfig.ts'
import { createRawClient } from '../../../../test/support/raw-client.ts'
import { API_CONTROLLERS, createControlPlane } from '../../index.ts'
import { itAggregatesRoles } from './aggregated-roles.ts'
import { itFinishesDeletions } from './deletions.ts'
import { startControllersProcess } from './own-process.ts'
import { itKeepsQuotas } from './quotas.ts'
import { CONTROLLERS_USER, grantRights } from './rights.ts'
import { describeControllers, type RunningScene } from './scene.ts'
import { itHasServiceAccounts } from './service-accounts.ts'

async function start(where: 'in-process' | 'own-process'): Promise<RunningScene> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-controllers-'))
  const { token, user } = CONTROLLERS_USER
  const dataDir = join(folder, 'data')
  const controlPlane = await createControlPlane({
    apis: { crds: true, apiServices: true },
    storage: { dataDir },
    authorization: 'RBAC',
    authentication: { tokens: { [token]: { username: user, groups: [] } } },
    controllers: where === 'in-process' ? API_CONTROLLERS : [],
  })
  await controlPlane.listen()
  const { kubeconfig } = controlPlane
  const file = join(folder, 'kubeconfig')
  await writeFile(file, withToken(kubeconfig, token), { mode: 0o600 })
  const client = createRawClient(kubeconfig)
  await grantRights(client)
  const controllers =
    where === 'own-process'
      ? await startControllersProcess({
          kubeconfig: file,
          serviceAccountKey: join(dataDir, 'sa.key'),
          flags: ['--leader-elect'],
        })
      : undefined
  return {
    client,
    clientOf: (bearer) => createRawClient(kubeconfig, { authorization: `Bearer ${bearer}` }),
    async stop() {
      client.close()
      controllers?.kill('SIGTERM')
      await controllers?.ended
      await controlPlane.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

for (const where of ['in-process', 'own-process'] as const) {
  describeControllers(
    `the controllers, ${where}, on the embedded server`,
    () => start(where),
    (scene) => {
      itHasServiceAccounts(scene)
      itFinishesDeletions(scene)
      itKeepsQuotas(scene)
      itAggregatesRoles(scene)
    },
  )
}
