export type {
  ApiClient,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectList,
  Selecting,
  Selection,
  WatchOptions,
  WriteOptions,
} from './api-client.ts'
export { type Backoff, backoffDelay, sleepUnlessAborted, untilAborted } from './backoff.ts'
export {
  type CallBudget,
  type CallBudgetOptions,
  type CallGuard,
  type CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitState,
  createCallBudget,
  createCallGuard,
  createCircuitBreaker,
} from './call-limits/index.ts'
export { type ApiClientOptions, createApiClient } from './client.ts'
export type { ClusterConnection, Credentials } from './connection.ts'
export { createDiscovery, type Discovery, type KindRef, UnknownKindError } from './discovery.ts'
export {
  ApiError,
  CircuitOpenError,
  type ClientRole,
  ConflictError,
  ConnectionError,
  ExpiredError,
  ForbiddenError,
  KubeconfigError,
  KubernetesError,
  NotFoundError,
  rbacCommand,
  SilentServerError,
  type Status,
  shellWord,
  ThrottledError,
  TooLargeVersionError,
  UnauthorizedError,
} from './errors/index.ts'
export { firstServed, readClusterUid, SERVED_FOR_MS } from './first-served.ts'
export { contextNames, type KubeconfigFiles, loadClusters, loadUsableClusters } from './kubeconfig/index.ts'
export { createObjectTable, type ObjectTable } from './object-table.ts'
export {
  type ApiObject,
  apiVersionOf,
  ENDPOINT_SELECTORS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  EVENTS,
  NAMESPACES,
  NATIVE_ENDPOINT_SELECTORS,
  NODES,
  type ObjectRef,
  PODS,
  type Resource,
  SERVICES,
} from './resources.ts'
export {
  configKey,
  EXPRESSION_OPERATORS,
  formatLabelSelector,
  GO_ESCAPES,
  type LabelRequirement,
  labelKey,
  labelName,
  labelValue,
  matchesLabels,
  type NameRule,
  parseLabelSelector,
  portName,
  quoted,
  SelectorError,
  selectorFromExpressions,
  selectorFromLabels,
  subdomainName,
} from './selectors/index.ts'
export {
  FIELD_MANAGER,
  loadCredentials,
  probeServer,
  type ServerProbe,
  type TimeLimit,
  within,
} from './transport/index.ts'
export type { WatchEvent } from './watch-stream.ts'
export {
  DEFAULT_BACKOFF,
  runWatcher,
  type WatcherOptions,
  type WatchHandler,
  type WatchTiming,
} from './watcher.ts'
export {
  type Clock,
  createTurns,
  type Deferral,
  type NextTurn,
  type ProcessingTime,
  type Queued,
  systemClock,
  type Timer,
  TokenBucket,
  WorkQueue,
} from './work-queue/index.ts'
