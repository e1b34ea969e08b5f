export { type CallBudget, type CallBudgetOptions, createCallBudget } from './call-budget.ts'
export { type CallGuard, createCallGuard } from './call-guard.ts'
export {
  type CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitState,
  createCircuitBreaker,
} from './circuit-breaker.ts'
