export type { CostLine, Term } from './cost-line.ts'
export { COUNTS, DEFAULT_SIZE, type DeploymentSize } from './deployment-size.ts'
export { type Month, monthOf } from './month.ts'
export { PRICES_OF } from './prices.ts'
export {
  BATCH_SIZE,
  CALLS_A_POLLER,
  FUNCTION_GB,
  measuredDollars,
  POLLERS,
  SECONDS_A_MONTH,
  SYNC_MS,
  taskDollars,
  usageDollars,
} from './usage.ts'
