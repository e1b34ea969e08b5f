import * as z from 'zod'
import type { Change } from '../changes/index.ts'
import { labelName, type NameRule, subdomainName } from '../kubernetes/index.ts'
import { MalformedMessageError } from './errors.ts'

/**
 * What travels on a lane: "look at this Service again", with hints that never change the outcome. The trigger time becomes
 * `endpoints.kubernetes.io/last-change-trigger-time`; the resourceVersion is a floor for the reconcile's reads.
 */
export type KeyMessage = Change

const MESSAGE_VERSION = 1

/** EKS context names are ARNs of up to 141 characters; 512 leaves room and still bounds a log line. */
const CLUSTER_MAX_LENGTH = 512
/** Controls, format characters (bidirectional overrides), lone surrogates and line separators could forge log lines. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const isName = (rule: NameRule) => (name: string) => rule(name).length === 0

/** Unknown fields are ignored, so that a newer relay may add some; a change of meaning takes another `v`. */
const bodySchema = z.object({
  v: z.literal(MESSAGE_VERSION, `must be ${MESSAGE_VERSION}`),
  cluster: z
    .string('must be text')
    .min(1, 'must not be empty')
    .max(CLUSTER_MAX_LENGTH, `must have at most ${CLUSTER_MAX_LENGTH} characters`)
    .refine((name) => !UNPRINTABLE.test(name), 'must be printable characters'),
  namespace: z.string('must be text').refine(isName(labelName), 'must be an RFC 1123 label'),
  // A subdomain takes in RFC 1035 and RFC 1123 labels alike (KEP-5311) and is still safe as a segment of a URL path.
  service: z.string('must be text').refine(isName(subdomainName), 'must be a DNS name'),
  triggerTime: z.iso.datetime({ offset: true, error: 'must be an RFC 3339 time' }).max(40).optional(),
  // Digits on every API server so far, but an opaque token by Kubernetes' API conventions.
  resourceVersion: z
    .string('must be text')
    .regex(/^[\x21-\x7e]{1,64}$/, 'must be a token of 1 to 64 characters')
    .optional(),
})

/** The JSON body of a message; fields that are absent from `message` are absent from the body. */
export function encodeMessage({
  cluster,
  namespace,
  service,
  triggerTime,
  resourceVersion,
}: KeyMessage): string {
  return JSON.stringify({ v: MESSAGE_VERSION, cluster, namespace, service, triggerTime, resourceVersion })
}

/** Reads a message body strictly. Throws {@link MalformedMessageError}, which says which field breaks which rule. */
export function parseMessage(body: string): KeyMessage {
  const { v: _version, ...message } = checkBody(parseJson(body), 'read')
  return message
}

/** Throws {@link MalformedMessageError} for a message that {@link parseMessage} would refuse on the other side. */
export function assertSendable(message: KeyMessage): void {
  checkBody({ ...message, v: MESSAGE_VERSION }, 'send')
}

function checkBody(body: unknown, verb: 'read' | 'send'): z.infer<typeof bodySchema> {
  const parsed = bodySchema.safeParse(body)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => [...path, message].join(' '))
  throw new MalformedMessageError(`failed to ${verb} message: ${problems.join('; ')}`)
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // V8's SyntaxError quotes the body, so it is not kept as the cause.
    throw new MalformedMessageError(
      `failed to read message: the body of ${body.length} characters is not JSON`,
    )
  }
}
