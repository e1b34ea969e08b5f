export { describeFleetService, writeText } from './describe-fleet.ts'
export { explainFleetService } from './explain-fleet.ts'
export type {
  Arrival,
  ExportReport,
  FleetEndpoint,
  FleetReport,
  ImportReport,
  WriteReport,
} from './report.ts'
