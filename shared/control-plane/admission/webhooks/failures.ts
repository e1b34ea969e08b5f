import { quoted } from '../../../kubernetes/index.ts'

/**
 * A webhook could not be asked, or has answered nothing that counts: what happens then is for its
 * failurePolicy to say.
 */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError'

  constructor(webhook: string, reason: string, options?: ErrorOptions) {
    super(`failed calling webhook ${quoted(webhook)}: ${reason}`, options)
  }
}
