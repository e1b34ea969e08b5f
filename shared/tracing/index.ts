export { isTracing, openTracing } from './open-tracing.ts'
export { createReconcileTraces } from './reconcile-traces.ts'
export { createSendTraces, type SendTraces } from './send-traces.ts'
export type { Tracing } from './tracing.ts'
