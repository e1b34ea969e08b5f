export {
  ANONYMOUS,
  Authenticator,
  type StaticTokens,
  staticTokens,
  type TokenAuthenticator,
} from './authentication.ts'
export { allowAuthenticated, refusal } from './authorization.ts'
export { type Authority, certificateAuthority, type KeyPair } from './certificates.ts'
export { kubeconfigFor } from './kubeconfig.ts'
export { createServiceAccountTokens, type ServiceAccountTokens } from './service-account-tokens.ts'
