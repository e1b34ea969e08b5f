import { ApiError } from '../../errors/index.ts'
import { quoted } from '../../go-quote.ts'

/** A webhook could not be asked, or has answered nothing that counts: what happens then is for its failurePolicy to say. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError'

  constructor(webhook: string, reason: string, options?: ErrorOptions) {
    super(`failed calling webhook ${quoted(webhook)}: ${reason}`, options)
  }
}

/** 500 with the reason as its cause, as apimachinery's NewInternalError. */
export function internalError(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}
