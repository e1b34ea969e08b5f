import type { Settings } from '../settings/index.ts'
import { type Log, throttleWarnings } from '../telemetry/index.ts'
import type { Tracing } from './tracing.ts'

interface TracingOptions {
  readonly settings: Pick<Settings, 'traces' | 'traceShare'>
  /** Name of this process in traces, such as `sliceflow-relay`. */
  readonly service: string
  readonly logger: Log
}

export const isTracing = ({ traces }: Pick<Settings, 'traces'>): boolean => traces !== 'off'

/**
 * Loads OpenTelemetry's SDK if the setting `traces` asks for it; otherwise nothing is loaded.
 * @returns undefined if nothing is traced, also if the SDK cannot be loaded, which is logged
 */
export async function openTracing({
  settings,
  service,
  logger,
}: TracingOptions): Promise<Tracing | undefined> {
  if (!isTracing(settings)) return undefined
  const { traces: endpoint, traceShare: share } = settings
  const quiet = throttleWarnings(logger)
  const onProblem = (err: unknown): void =>
    quiet.warn({ endpoint, err }, 'cannot export traces; they are lost')
  try {
    const { createOpenTelemetry } = await import('./open-telemetry.ts')
    return createOpenTelemetry({ endpoint, share, service, onProblem })
  } catch (err) {
    logger.error({ err }, 'cannot load the exporter of traces: continuing without')
    return undefined
  }
}
