export { type RelayProps, RelayService } from './relay.ts'
export type { RelayOverrides } from './relay-overrides.ts'
export { watchRelayEnds } from './watch-relay-ends.ts'
