export {
  createGuardedServer,
  type GuardedServer,
  isLoopback,
  type Refusal,
  refuse,
} from './guarded-server.ts'
