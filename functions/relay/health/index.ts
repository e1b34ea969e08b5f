export {
  type ClusterHealth,
  healthOf,
  type ProbeResult,
  type Probes,
  type RelayHealth,
  type WatchHealth,
} from './health.ts'
export { createHealthServer, type HealthServer, type HealthServerOptions } from './health-server.ts'
