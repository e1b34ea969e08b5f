export { createReconcileTraces } from './reconcile-traces.ts'
export { createSendTraces, type SendTraces } from './send-traces.ts'
export { isTracing, openTracing, type Tracing } from './tracing.ts'
