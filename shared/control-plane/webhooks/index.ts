export { caBundleErrors, clientConfigErrors } from './client-config-errors.ts'
export { type GoUrl, parseGoUrl } from './go-url.ts'
export { WebhookClient, type WebhookClientOptions } from './webhook-client.ts'
