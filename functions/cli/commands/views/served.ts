import type { Log } from '../../../../shared/telemetry/index.ts'
import type { OperatorSpec } from '../../../../shared/views/index.ts'
import { writeKubeconfig } from '../../write-kubeconfig.ts'
import { problemText, type ViewsOutput } from './output.ts'
import { startViewServer } from './server.ts'

interface ServedOutputOptions {
  readonly port: number
  /** Where the kubeconfig goes. */
  readonly kubeconfigOut: string
  readonly logger: Log
}

/**
 * Views as resources of a Kubernetes API; prints a line that begins with `ready` once what was there is
 * shown.
 */
export async function servedOutput(
  spec: OperatorSpec,
  { port, kubeconfigOut, logger }: ServedOutputOptions,
): Promise<ViewsOutput> {
  const server = await startViewServer(spec, port, logger)
  try {
    writeKubeconfig(kubeconfigOut, server.kubeconfig)
  } catch (error) {
    await server.close()
    throw error
  }
  let isReady = false
  return {
    tell({ view, problems }) {
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
