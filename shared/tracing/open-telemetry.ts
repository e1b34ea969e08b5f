import {
  type Context,
  type Span as OpenTelemetrySpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { errorMessage } from '../values/index.ts'
import type { Span, SpanOptions, Tracing } from './tracing.ts'

interface OpenTelemetryOptions {
  /** Base URL of the collector; `/v1/traces` is appended to its path. */
  readonly endpoint: string
  /** Share of new traces that are recorded, 0 to 1. */
  readonly share: number
  readonly service: string
  readonly onProblem: (error: unknown) => void
}

/** Milliseconds per export: a collector that does not answer must not delay the end of a call. */
const EXPORT_MS = 2_000
/** Maximum number of spans waiting for export; further ones are dropped. */
const MAX_WAITING = 2_048
const MAX_PER_EXPORT = 512
const EXPORT_EVERY_MS = 5_000
/** Maximum number of characters that an error's message adds to a span. */
const MAX_CHARACTERS = 1_024

const KINDS = {
  internal: SpanKind.INTERNAL,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
} as const

/** Creates tracing with OpenTelemetry's SDK, which reads headers from OTEL_EXPORTER_OTLP_HEADERS. */
export function createOpenTelemetry({ endpoint, share, service, onProblem }: OpenTelemetryOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_MS,
  })
  const processor = new BatchSpanProcessor({
    exporter: reportingExporter(exporter, onProblem),
    maxQueueSize: MAX_WAITING,
    maxExportBatchSize: MAX_PER_EXPORT,
    scheduledDelayMillis: EXPORT_EVERY_MS,
    exportTimeoutMillis: EXPORT_MS,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanLimits: { attributeValueLengthLimit: MAX_CHARACTERS },
    // Follows the sampling decision of the message, whether or not its trace is exported.
    sampler: new ParentBasedSampler({
      root: new TraceIdRatioBasedSampler(share),
      remoteParentNotSampled: new AlwaysOffSampler(),
    }),
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('sliceflow')
  return {
    start(name, { parent, ...options }) {
      const context =
        parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent))
      const span = begin(tracer, context, name, options)
      return span.isRecording() ? wrap(tracer, span) : undefined
    },
    flush: () => provider.forceFlush({ timeoutMillis: EXPORT_MS }).catch(onProblem),
    stop: () => provider.shutdown().catch(onProblem),
  }
}

function begin(
  tracer: Tracer,
  context: Context,
  name: string,
  { kind = 'internal', startTime, attributes, links = [] }: SpanOptions,
): OpenTelemetrySpan {
  const options = {
    kind: KINDS[kind],
    links: links.map((link) => ({ context: contextOf(link) })),
    ...(startTime !== undefined && { startTime }),
    ...(attributes && { attributes: { ...attributes } }),
  }
  return tracer.startSpan(name, options, context)
}

function wrap(tracer: Tracer, span: OpenTelemetrySpan): Span {
  const context = span.spanContext()
  return {
    traceparent: textOf(context),
    child: (name, options = {}) =>
      wrap(tracer, begin(tracer, trace.setSpan(ROOT_CONTEXT, span), name, options)),
    annotate: (attributes) => void span.setAttributes({ ...attributes }),
    end(error) {
      if (error !== undefined) {
        const message = errorMessage(error)
        span.setStatus({ code: SpanStatusCode.ERROR, message: message.slice(0, MAX_CHARACTERS) })
        span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
      }
      span.end()
    },
  }
}

const textOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`

/** @param traceparent must be validated */
function contextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-')
  return { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true }
}

/** Wraps an exporter to report its failures, which the SDK itself does not do. */
const reportingExporter = (exporter: SpanExporter, onProblem: (error: unknown) => void): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      if (result.error !== undefined) onProblem(result.error)
      done(result)
    }),
  shutdown: () => exporter.shutdown(),
})
