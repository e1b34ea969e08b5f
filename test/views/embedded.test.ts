import { openClusters, startEmbeddedQueues, startLocal } from '../../cli/local/index.ts'
import { createControlPlane } from '../../shared/control-plane/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { describeWalkthrough } from './walkthrough.ts'

describeWalkthrough('the embedded control plane with Sliceflow’s slices', async () => {
  const controlPlane = await createControlPlane()
  await controlPlane.listen()
  return {
    kubeconfig: controlPlane.kubeconfig,
    stop: () => controlPlane.close(),
    async makeSlices(connection) {
      const settings = parseSettings({ mode: 'replace' })
      const queues = await startEmbeddedQueues(settings)
      const local = await startLocal({
        clusters: openClusters([connection], { settings, logger: SILENT_LOG }),
        ...{ queues, settings, telemetry: { logger: SILENT_LOG } },
      })
      await local.synced
      return async () => {
        await local.stop(2_000)
        await queues.stop()
      }
    },
  }
})
