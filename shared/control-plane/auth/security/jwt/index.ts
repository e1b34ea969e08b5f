export { jwtAuthenticator } from './jwt-authenticator.ts'
export { createServiceAccountTokens } from './service-account-tokens.ts'
