export {
  type RelayNetwork,
  type RelayProps,
  type RelayQueues,
  RelayService,
  type RelayTask,
} from './relay.ts'
export type { RelayOverrides } from './relay-overrides.ts'
export { watchRelayEnds } from './watch-relay-ends.ts'
