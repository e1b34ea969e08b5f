export { type FleetRelay, type FleetRelayOptions, startFleetRelay } from './fleet-relay.ts'
export { type FleetRelays, type FleetRelaysOptions, startFleetRelays } from './fleet-relays.ts'
