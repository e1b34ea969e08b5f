export { createHistoryReport, type HistoryReport } from './report.ts'
