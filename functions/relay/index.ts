export { type FleetRelays, type FleetRelaysOptions, startFleetRelays, worstOf } from './fleet/index.ts'
export type { ProbeResult, Probes, RelayHealth } from './health.ts'
export { createHealthServer, type HealthServer, type HealthServerOptions } from './health-server.ts'
export { type Relay, type RelayOptions, startRelay } from './relay.ts'
