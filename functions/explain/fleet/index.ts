export { describeFleetService } from './describe-fleet.ts'
export { explainFleetService } from './explain-fleet.ts'
export { describeFleetPlan, type FleetPlan, planFleet, writesOf } from './plan-fleet.ts'
export type { FleetReport } from './report.ts'
