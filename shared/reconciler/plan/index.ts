export { type PackingSettings, packingOf } from './packing-of.ts'
export { type MirrorSettings, managersOf, planMirrors } from './plan-mirrors.ts'
export { type PlanInput, type PlanSummary, partSummary, planService, summaryOf } from './plan-service.ts'
