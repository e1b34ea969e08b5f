export { ANONYMOUS, Authenticator, type StaticTokens } from './authentication.ts'
export { type Authorize, allowAuthenticated, type RequestAttributes, refusal } from './authorization.ts'
export { type Authority, certificateAuthority, type KeyPair } from './certificates.ts'
export { kubeconfigFor } from './kubeconfig.ts'
