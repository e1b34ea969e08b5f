export {
  createGuardedServer,
  type GuardedServer,
  isLoopback,
  MAX_CONNECTIONS,
  type Refusal,
  refuse,
} from './guarded-server.ts'
