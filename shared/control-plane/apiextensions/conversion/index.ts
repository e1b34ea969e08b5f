export { isReviewVersion } from './review.ts'
export { WebhookConverter } from './webhook-converter.ts'
