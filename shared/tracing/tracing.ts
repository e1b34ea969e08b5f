import { throttleWarnings } from '../queue/index.ts'
import type { Settings } from '../settings/index.ts'
import type { Log } from '../telemetry/index.ts'

export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  /** Default `internal`; `producer` and `consumer` are the two ends of a queue, `client` calls a server. */
  readonly kind?: 'internal' | 'producer' | 'consumer' | 'client'
  /** Start time in milliseconds since the epoch; default now. */
  readonly startTime?: number
  readonly attributes?: Attributes
  /** Contexts of other traces that it belongs to as well, as W3C writes them. */
  readonly links?: readonly string[]
}

/** A piece of work of one trace. It is exported some time after its end, and never if it does not end. */
export interface Span {
  /** Its context, as W3C writes it. */
  readonly traceparent: string
  child(name: string, options?: SpanOptions): Span
  annotate(attributes: Attributes): void
  /** @param error what it failed with; absent where it did not */
  end(error?: unknown): void
}

/** Exports spans by OTLP, over HTTP and in JSON. */
export interface Tracing {
  /**
   * Starts a span.
   * @param parent the context of a span elsewhere, as W3C writes it; absent for a new trace
   * @returns undefined where it is not of the share of traces that are exported
   */
  start(name: string, options: SpanOptions & { readonly parent?: string }): Span | undefined
  /** Exports what has ended. Never rejects: what the collector does not take within 2 s is lost. */
  flush(): Promise<void>
  /** Exports what has ended, and ends. */
  stop(): Promise<void>
}

export interface TracingOptions {
  readonly settings: Pick<Settings, 'traces' | 'traceShare'>
  /** The name of this process in traces, such as `sliceflow-relay`. */
  readonly service: string
  readonly logger: Log
}

export const isTracing = ({ traces }: Pick<Settings, 'traces'>): boolean => traces !== 'off'

/**
 * Loads OpenTelemetry's SDK where the setting `traces` asks for it; otherwise nothing is loaded.
 * @returns undefined where nothing is traced, be it that the SDK cannot be loaded, which the log tells
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
