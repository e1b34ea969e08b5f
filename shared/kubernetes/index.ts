export type {
  ApiClient,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectList,
  Selecting,
  WatchOptions,
  WriteOptions,
} from './api-client.ts'
export { type Backoff, backoffDelay, sleepUnlessAborted, untilAborted } from './backoff.ts'
export { type CallBudget, type CallBudgetOptions, createCallBudget } from './call-budget.ts'
export { type CallGuard, createCallGuard } from './call-guard.ts'
export {
  type CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitState,
  createCircuitBreaker,
} from './circuit-breaker.ts'
export { type ApiClientOptions, createApiClient } from './client.ts'
export { readClusterUid } from './cluster-uid.ts'
export type { ClusterConnection, Credentials } from './connection.ts'
export { createDiscovery, type Discovery, type KindRef, UnknownKindError } from './discovery.ts'
export {
  ApiError,
  CircuitOpenError,
  ConflictError,
  ConnectionError,
  ExpiredError,
  ForbiddenError,
  KubeconfigError,
  KubernetesError,
  NotFoundError,
  SilentServerError,
  type Status,
  ThrottledError,
  TooLargeVersionError,
  UnauthorizedError,
} from './errors.ts'
export { GO_ESCAPES, quoted } from './go-quote.ts'
export { type ClientRole, rbacCommand, shellWord } from './grant-advice.ts'
export { contextNames, type KubeconfigFiles, loadClusters } from './kubeconfig.ts'
export {
  formatLabelSelector,
  type LabelRequirement,
  matchesLabels,
  parseLabelSelector,
  SelectorError,
  selectorFromLabels,
} from './label-selector.ts'
export {
  configKey,
  labelKey,
  labelName,
  labelValue,
  type NameRule,
  portName,
  subdomainName,
} from './names.ts'
export { createObjectTable, type ObjectTable } from './object-table.ts'
export { probeServer, type ServerProbe } from './probe-server.ts'
export {
  type ApiObject,
  apiVersionOf,
  ENDPOINT_SLICES,
  ENDPOINTS,
  EVENTS,
  NAMESPACES,
  NODES,
  type ObjectRef,
  PODS,
  type Resource,
  SERVICES,
} from './resources.ts'
export { FIELD_MANAGER, loadCredentials } from './session.ts'
export type { WatchEvent } from './watch-stream.ts'
export { DEFAULT_BACKOFF, runWatcher, type WatcherOptions, type WatchHandler } from './watcher.ts'
export { type TimeLimit, within } from './within.ts'
export {
  type Clock,
  type Deferral,
  type ProcessingTime,
  type Queued,
  systemClock,
  type Timer,
  TokenBucket,
  WorkQueue,
} from './work-queue/index.ts'
