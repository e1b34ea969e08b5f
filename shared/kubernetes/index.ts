export type {
  ApiClient,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectList,
  Selecting,
  Selection,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './api-client.ts'
export { type Backoff, backoffDelay, sleepUnlessAborted, untilAborted } from './backoff.ts'
export { createCallBudget } from './call-limits/call-budget.ts'
export { createCallLimiter } from './call-limits/call-limiter.ts'
export { createCircuitBreaker } from './call-limits/circuit-breaker.ts'
export { type ApiClientOptions, createApiClient } from './client.ts'
export { CLUSTER_SET_PREFIX, type ClusterConnection, type Credentials } from './connection.ts'
export {
  findResource,
  firstServed,
  readClusterUid,
  SERVED_FOR_MS,
  UnknownKindError,
} from './discovery.ts'
export {
  ApiError,
  CircuitOpenError,
  ConflictError,
  ConnectionError,
  causesOf,
  ExpiredError,
  ForbiddenError,
  isAbsentObject,
  isNamespaceTerminating,
  KubeconfigError,
  KubernetesError,
  NotFoundError,
  SilentServerError,
  type Status,
  ThrottledError,
  TooLargeVersionError,
  UnauthorizedError,
} from './errors/errors.ts'
export { type ClientRole, rbacCommand, shellWord } from './errors/grant-advice.ts'
export {
  contextNames,
  type KubeconfigFiles,
  loadClusters,
  loadUsableClusters,
} from './kubeconfig/kubeconfig.ts'
export { createObjectTable, type ObjectTable } from './object-table.ts'
export { refOf } from './requests.ts'
export {
  type ApiObject,
  apiVersionOf,
  ENDPOINT_SELECTORS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  EVENTS,
  NAMESPACES,
  NATIVE_ENDPOINT_SELECTORS,
  NO_NAME,
  NODES,
  type ObjectRef,
  PODS,
  type Resource,
  SERVICES,
} from './resources.ts'
export { GO_ESCAPES, quoted } from './selectors/go-quote.ts'
export {
  EXPRESSION_OPERATORS,
  formatLabelSelector,
  type LabelRequirement,
  matchesLabels,
  parseLabelSelector,
  SelectorError,
  selectorFromExpressions,
  selectorFromLabels,
} from './selectors/label-selector.ts'
export {
  configKey,
  labelKey,
  labelName,
  labelValue,
  type NameRule,
  portName,
  subdomainName,
} from './selectors/names.ts'
export { probeServer, type ServerProbe } from './transport/probe-server.ts'
export { FIELD_MANAGER, loadCredentials } from './transport/session.ts'
export { isStaleSocket } from './transport/transport.ts'
export { within } from './transport/within.ts'
export {
  DEFAULT_BACKOFF,
  runWatcher,
  type WatcherOptions,
  type WatchHandler,
} from './watcher.ts'
export { type MonotonicClock, monotonicClock, type Timer } from './work-queue/monotonic-clock.ts'
export { TokenBucket } from './work-queue/token-bucket.ts'
export { createTurns, inTurns, type NextTurn } from './work-queue/turns.ts'
export { type Deferral, type ProcessingTime, type Queued, WorkQueue } from './work-queue/work-queue.ts'
