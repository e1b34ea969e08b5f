export { isReviewVersion } from './review.ts'
export { type CallWebhook, WebhookConverter } from './webhook-converter.ts'
