export {
  createEmfMetrics,
  DEPLOYMENT_DIMENSION,
  type Dimensions,
  EMF_NAMESPACE,
  type EmfMetrics,
  type EmfOptions,
} from './emf.ts'
export { createLogger, type Log, type LoggerOptions, SILENT_LOG, type Warner, withFields } from './logger.ts'
export { printable } from './printable.ts'
export { redactSecrets } from './redact.ts'
export { createRegistryEmf, type RegistryEmfOptions } from './registry-emf.ts'
export {
  type ClusterReading,
  createRelayMetrics,
  type LaneReading,
  type RelayMetrics,
  type WatchReading,
} from './relay-metrics.ts'
export { throttleWarnings } from './throttled-log.ts'
