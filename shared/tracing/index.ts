export { createReconcileTraces, type ReconcileTraces } from './reconcile-traces.ts'
export { createSendTraces, type SendTraces } from './send-traces.ts'
export {
  type Attributes,
  isTracing,
  openTracing,
  type Span,
  type SpanOptions,
  type Tracing,
  type TracingOptions,
} from './tracing.ts'
