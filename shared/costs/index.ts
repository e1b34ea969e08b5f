export type { CostLine, Term } from './cost-line.ts'
export { COUNTS, DEFAULT_SIZE, type DeploymentSize } from './deployment-size.ts'
export { type Month, monthOf } from './month.ts'
export { PRICES_OF } from './prices.ts'
export {
  BATCH_SIZE,
  CALLS_A_POLLER,
  FUNCTION_GB,
  LOOK_MS,
  measuredDollars,
  POLLERS,
  SECONDS_A_MONTH,
  taskDollars,
  usageDollars,
} from './usage.ts'
