export {
  ANONYMOUS,
  Authenticator,
  type AuthenticatorOptions,
  type StaticTokens,
  staticTokens,
  type TokenAuthenticator,
} from './authentication.ts'
export { allowAuthenticated, refusal } from './authorization.ts'
export { certificatesOf } from './certificate-chain.ts'
export { type Authority, certificateAuthority, type KeyPair } from './certificates.ts'
export { type JwtAuthenticatorOptions, jwtAuthenticator } from './jwt-authenticator.ts'
export type { KeySetSource } from './key-set.ts'
export { kubeconfigFor } from './kubeconfig.ts'
export type { RequestHeaderOptions } from './request-header.ts'
export { createServiceAccountTokens, type ServiceAccountTokens } from './service-account-tokens.ts'
export { parseTokenFile } from './token-file.ts'
