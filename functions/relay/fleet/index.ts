export { type FleetRelay, type FleetRelayOptions, startFleetRelay } from './fleet-relay.ts'
