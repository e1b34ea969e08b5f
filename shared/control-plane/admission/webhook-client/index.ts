export { answeredReview, checkSaysWhatItIs, type ReviewKind } from './answered-review.ts'
export { caBundleErrors, clientConfigErrors } from './client-config-errors.ts'
export { parseGoUrl } from './go-url.ts'
export { WebhookClient } from './webhook-client.ts'
