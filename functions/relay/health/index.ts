export {
  type ClusterHealth,
  healthOf,
  type Probes,
  type RelayHealth,
  type WatchHealth,
  worstOf,
} from './health.ts'
export { createHealthServer } from './health-server.ts'
