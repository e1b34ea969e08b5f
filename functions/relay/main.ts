import { errorMessage } from '../../shared/values/index.ts'
import { withDeploymentFile } from '../environment/index.ts'
import { type DeployedRelay, startDeployedRelay } from './from-environment.ts'

/** Below the stop timeout of the container (see infra/), after which it is killed. */
const GRACE_MS = 90_000

let relay: DeployedRelay | undefined

// First of all: process 1 of a container does not even get signals that it has no handler for.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, async () => {
    await relay?.stop(GRACE_MS)
    // Calls to a cluster that hangs would keep the process for their whole timeout.
    process.exit(0)
  })
}

/** The entry point of the relay's container: runs until SIGTERM, sends what waits, and ends with code 0. */
relay = await startDeployedRelay({ environment: withDeploymentFile(import.meta.dirname) }).catch(
  (error: unknown) => {
    process.stderr.write(
      `${JSON.stringify({ level: 'error', msg: `cannot start: ${errorMessage(error)}` })}\n`,
    )
    process.exit(1)
  },
)
