import { quoted } from '../../../kubernetes/index.ts'

/** A webhook could not be asked, or its answer does not count: its failurePolicy says what happens. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError'

  constructor(webhook: string, reason: string, options?: ErrorOptions) {
    super(`failed calling webhook ${quoted(webhook)}: ${reason}`, options)
  }
}
