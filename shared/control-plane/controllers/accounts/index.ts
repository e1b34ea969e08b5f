export { startRootCaPublisher } from './root-ca-publisher.ts'
export { startTokenSecrets } from './service-account-tokens.ts'
export { startServiceAccounts } from './service-accounts.ts'
