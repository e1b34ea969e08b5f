import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API_CONTROLLERS, createControlPlane } from '../../shared/control-plane/index.ts'
import { createRawClient } from '../support/raw-client.ts'
import { itAggregatesRoles } from './aggregated-roles.ts'
import { itFinishesDeletions } from './deletions.ts'
import { startControllersProcess } from './own-process.ts'
import { itKeepsQuotas } from './quotas.ts'
import { describeControllers, type RunningScene } from './scene.ts'
import { itHasServiceAccounts } from './service-accounts.ts'

async function start(where: 'in-process' | 'own-process'): Promise<RunningScene> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-controllers-'))
  const dataDir = join(folder, 'data')
  const controlPlane = await createControlPlane({
    crds: true,
    apiServices: true,
    storage: { dataDir },
    authorization: 'RBAC',
    controllers: where === 'in-process' ? API_CONTROLLERS : [],
  })
  await controlPlane.listen()
  const { kubeconfig } = controlPlane
  const file = join(folder, 'kubeconfig')
  await writeFile(file, kubeconfig, { mode: 0o600 })
  const controllers =
    where === 'own-process'
      ? await startControllersProcess({ kubeconfig: file, serviceAccountKey: join(dataDir, 'sa.key') })
      : undefined
  const client = createRawClient(kubeconfig)
  return {
    client,
    clientOf: (token) => createRawClient(kubeconfig, { authorization: `Bearer ${token}` }),
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
