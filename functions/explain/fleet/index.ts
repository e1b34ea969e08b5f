export { describeFleetService, writeText } from './describe-fleet.ts'
export { explainFleetService } from './explain-fleet.ts'
export {
  describeFleetPlan,
  type FleetPlan,
  type PlanFleetOptions,
  planFleet,
  writesOf,
} from './plan-fleet.ts'
export type {
  Arrival,
  ExportReport,
  FleetEndpoint,
  FleetReport,
  ImportReport,
  WriteReport,
} from './report.ts'
