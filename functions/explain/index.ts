export { describeService } from './describe-service.ts'
export { type ExplainServiceOptions, explainService } from './explain-service.ts'
export type { Management, ManagerReport, ServiceReport, SliceReport, SourceReport } from './report.ts'
export { ageText, columns, counted } from './text.ts'
