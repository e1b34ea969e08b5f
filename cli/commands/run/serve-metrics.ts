import { isLoopback } from '../../../shared/http-server/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import type { Metrics } from '../../local/index.ts'
import type { FlagValues } from '../../options/flags.ts'
import { UsageError } from '../../usage.ts'
import type { GROUPS } from './command.ts'

type MetricsFlags = FlagValues<typeof GROUPS.metrics>

const LOOPBACK = '127.0.0.1'

/** @throws UsageError where an address is given, and no port */
export function assertMetricsFlags({ metricsPort, metricsAddress }: MetricsFlags): void {
  if (metricsAddress !== undefined && metricsPort === undefined)
    throw new UsageError(
      '--metrics-address needs --metrics-port: name the port to serve on, such as --metrics-port 9090',
    )
}

/**
 * Serves metrics where the flags ask for it, and warns where others than this machine can read them.
 * @returns where; `undefined` without a port
 * @throws Error when nothing can listen there
 */
export async function serveMetrics(
  metrics: Metrics,
  { metricsPort: port, metricsAddress: address = LOOPBACK }: MetricsFlags,
  logger: Log,
): Promise<string | undefined> {
  if (port === undefined) return undefined
  const { url } = await metrics.listen(port, address).catch((cause: unknown) => {
    const advice = address === LOOPBACK ? '' : ', or an address of this machine as --metrics-address'
    throw new Error(
      `cannot serve metrics on ${address}, port ${port}: ${errorMessage(cause)}; choose another --metrics-port${advice}`,
      { cause },
    )
  })
  logger.info({ url: `${url}/metrics` }, 'serving metrics')
  if (!isLoopback(address))
    logger.warn(
      { address },
      'metrics and status need no credentials: let only Prometheus and probes reach this address',
    )
  return url
}
