export { isTracing, openTracing, type TracingOptions } from './open-tracing.ts'
export { createReconcileTraces, type ReconcileTraces } from './reconcile-traces.ts'
export { createSendTraces, type SendTraces } from './send-traces.ts'
export type { Attributes, Span, SpanOptions, Tracing } from './tracing.ts'
