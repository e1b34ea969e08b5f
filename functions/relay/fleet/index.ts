export { type FleetRelay, type FleetRelayOptions, startFleetRelay } from './fleet-relay.ts'
export { type FleetRelays, type FleetRelaysOptions, startFleetRelays, worstOf } from './fleet-relays.ts'
