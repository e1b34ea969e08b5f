import { quoted } from '../../../kubernetes/index.ts'
import { ApiError } from '../../apimachinery/errors/index.ts'
import { isObject, type JsonObject, numberAt, stringAt } from '../../apimachinery/json/index.ts'

/** The refusal of a request, as a webhook's Status (meta/v1) has it. */
export function denialOf(webhook: string, status: JsonObject): ApiError {
  const reason = stringAt(status, 'reason')
  const said = stringAt(status, 'message') || reason
  const subject = `admission webhook ${quoted(webhook)} denied the request`
  const message = said === '' ? `${subject} without explanation` : `${subject}: ${said}`
  const details = isObject(status.details) ? status.details : undefined
  return new ApiError(codeOf(status), reason || undefined, message, details)
}

/** No code of success, and one that can be sent. */
function codeOf(status: JsonObject): number {
  const code = numberAt(status, 'code') ?? 0
  if (code < 400) return 400
  return code > 999 ? 500 : code
}
