export {
  ANONYMOUS,
  Authenticator,
  type StaticTokens,
  staticTokens,
  type TokenAuthenticator,
  tellingFailures,
} from './authentication.ts'
export { allowAuthenticated, refusal } from './authorization.ts'
export { certificatesOf } from './certificate-chain.ts'
export { type Authority, certificateAuthority, type KeyPair } from './certificates.ts'
export type { JwtAuthenticatorOptions } from './jwt/jwt-authenticator.ts'
export type { KeySetSource } from './jwt/key-set.ts'
export { kubeconfigFor } from './kubeconfig.ts'
export { LazyServiceAccountTokens } from './lazy-service-account-tokens.ts'
export { type RequestHeaderOptions, userOfHeaders } from './request-header.ts'
export { newServiceAccountKey } from './service-account-key.ts'
export { parseTokenFile } from './token-file.ts'
