export {
  ApiError,
  apiError,
  CircuitOpenError,
  ConflictError,
  ConnectionError,
  connectionError,
  ExpiredError,
  ForbiddenError,
  KubeconfigError,
  KubernetesError,
  NotFoundError,
  SilentServerError,
  type Status,
  ThrottledError,
  TooLargeVersionError,
  UnauthorizedError,
  withGrantAdvice,
} from './errors.ts'
export { type ClientRole, rbacCommand, shellWord } from './grant-advice.ts'
export { readStatus, refusalOf } from './refusal.ts'
