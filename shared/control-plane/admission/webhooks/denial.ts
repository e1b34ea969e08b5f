import { ApiError } from '../../errors/index.ts'
import { quoted } from '../../go-quote.ts'
import { isObject, type JsonObject, numberAt, objectsAt, stringAt } from '../../json.ts'

/** The refusal of a request, as a webhook's Status has it; what of that is of the wrong type is left out. */
export function denialOf(webhook: string, status: JsonObject | undefined): ApiError {
  const reason = stringAt(status, 'reason')
  const said = stringAt(status, 'message') || reason
  const subject = `admission webhook ${quoted(webhook)} denied the request`
  const message = said === '' ? `${subject} without explanation` : `${subject}: ${said}`
  return new ApiError(codeOf(status), reason || undefined, message, detailsOf(status?.details))
}

/** No code of success, and one that can be sent. */
function codeOf(status: JsonObject | undefined): number {
  const code = numberAt(status, 'code') ?? 0
  if (!Number.isInteger(code) || code < 400) return 400
  return code > 999 ? 500 : code
}

function detailsOf(details: unknown): ApiError['details'] {
  if (!isObject(details)) return undefined
  const retryAfterSeconds = numberAt(details, 'retryAfterSeconds')
  const causes = objectsAt(details, 'causes').map((cause) => textsOf(cause, ['reason', 'message', 'field']))
  return {
    ...textsOf(details, ['name', 'group', 'kind', 'uid']),
    ...(causes.length > 0 ? { causes } : {}),
    ...(Number.isInteger(retryAfterSeconds) ? { retryAfterSeconds } : {}),
  }
}

function textsOf(value: JsonObject, members: readonly string[]): Record<string, string> {
  const found = members.map((member) => [member, stringAt(value, member)] as const)
  return Object.fromEntries(found.filter(([, text]) => text !== ''))
}
