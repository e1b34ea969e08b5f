import type { Log } from '../../../../shared/telemetry/index.ts'
import type { OperatorSpec } from '../../../../shared/views/index.ts'
import { assertKubeconfigFile, writeKubeconfig } from '../../clusters/write-kubeconfig.ts'
import { problemText, type ViewsOutput } from './output.ts'
import { startViewServer } from './server.ts'

interface ServedOutputOptions {
  readonly port: number
  /** File for the kubeconfig. */
  readonly kubeconfigOut: string
  readonly logger: Log
}

/**
 * Serves views as resources of a Kubernetes API. It prints a line that begins with `ready` once the objects
 * of the start are shown.
 */
export async function servedOutput(
  spec: OperatorSpec,
  { port, kubeconfigOut, logger }: ServedOutputOptions,
): Promise<ViewsOutput> {
  await assertKubeconfigFile(kubeconfigOut)
  const server = await startViewServer(spec, port, logger)
  try {
    await writeKubeconfig(kubeconfigOut, server.kubeconfig)
  } catch (error) {
    await server.close()
    throw error
  }
  let isReady = false
  return {
    show({ view, problems }) {
      for (const problem of problems) logger.warn({}, problemText(problem))
      server.apply(view)
      if (isReady) return
      isReady = true
      void server.settled().then(() => {
        process.stdout.write(`ready: ${server.url} kubeconfig ${kubeconfigOut}\n`)
      })
    },
    async close() {
      await server.settled()
      await server.close()
    },
  }
}
