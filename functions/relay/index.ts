export { type Relay, type RelayOptions, startRelay } from './relay.ts'
