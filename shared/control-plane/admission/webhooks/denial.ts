import { quoted } from '../../../kubernetes/index.ts'
import { ApiError } from '../../apimachinery/errors/index.ts'
import { isObject, type JsonObject, numberAt, stringAt } from '../../apimachinery/json/index.ts'

/** Makes the refusal of a request from a webhook's Status (meta/v1). */
export function denialOf(webhook: string, status: JsonObject): ApiError {
  const reason = stringAt(status, 'reason')
  const said = stringAt(status, 'message') || reason
  const subject = `admission webhook ${quoted(webhook)} denied the request`
  const message = said === '' ? `${subject} without explanation` : `${subject}: ${said}`
  const details = isObject(status.details) ? status.details : undefined
  return new ApiError(codeOf(status), reason || undefined, message, details)
}

/** Returns a code that can be sent and does not mean success. */
function codeOf(status: JsonObject): number {
  const code = numberAt(status, 'code') ?? 0
  if (code < 400) return 400
  return code > 999 ? 500 : code
}
