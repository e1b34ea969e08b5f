import * as v from 'valibot'
import {
  type Change,
  countVersions,
  ENDPOINT_SELECTOR,
  FLEET_VERSIONS,
  type FleetVersions,
  HINTED_PODS,
  HINTED_SLICES,
  type HintFacts,
  type KeyHints,
  MAX_SELECTOR_LENGTH,
  type ReadAhead,
  type SyncHint,
} from '../changes/index.ts'
import { ownerOfKind, SERVICE_OWNER } from '../endpointslice/index.ts'
import { labelName, type NameRule, subdomainName } from '../kubernetes/index.ts'
import { dateTime, object, passedOver, record, safeParse, whole } from '../schema/index.ts'
import { parseJson, withValues } from '../values/index.ts'
import { MalformedMessageError, NewerMessageError } from './errors.ts'

/**
 * A message on a lane: a request to sync a Service. Its other fields never change the outcome. The trigger
 * time becomes `endpoints.kubernetes.io/last-change-trigger-time`; the resourceVersion is a minimum for the
 * reconcile's reads.
 */
export interface KeyMessage extends Omit<Change, 'pods'>, KeyHints {
  /** Id of the history to which the versions belong; see {@link ClusterHistory}. */
  readonly history?: string
  /** Set by the audit, which knows of no change. A reader that does not know the field does a full sync. */
  readonly audit?: true
  /**
   * Newest versions that the relay saw of all inputs of a Service of a cluster set. Objects that a function
   * has cached at these versions need not be read again. Absent: the versions are unknown.
   */
  readonly fleetVersions?: FleetVersions
  /**
   * Digest of the members of the cluster set, as the relay knows them. A function with another digest repeats
   * the cluster discovery. Absent: it is unknown.
   */
  readonly membersDigest?: string
  /**
   * Writer that the relay's settings make (see `writerName`). A function with another one says so, as it
   * publishes otherwise than the relay expects. Absent: it is unknown.
   */
  readonly writer?: string
  /**
   * Contexts of the traces that it belongs to, as W3C writes them: of a message that is sent its own, of one
   * that was received those of all that it stands for. They travel as a message attribute, not in the body.
   */
  readonly traceparents?: readonly string[]
}

/** Grows with a change of meaning; a reader ignores a hint of a version that it does not know. */
const HINT_VERSION = 1
/**
 * Version of the body: 1 of a Service, 2 of an EndpointSelector. A reader that knows only 1 refuses the
 * other, and never reconciles the Service of that name. Each further kind takes the next version.
 */
const SERVICE_VERSION = 1
const SELECTOR_VERSION = 2

/** A Pod has an address of each type; a digest that is longer is a hash, which no message carries. */
const MAX_ADDRESSES = 16
const MAX_PORTS = 256

/** EKS context names are ARNs of up to 141 characters; 512 leaves room and still bounds a log line. */
const CLUSTER_MAX_LENGTH = 512
/** Characters that could forge log lines: controls, bidirectional overrides, surrogates, separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const isName = (rule: NameRule) => (name: string) => rule(name).length === 0

// Digits on every API server so far, but an opaque token by Kubernetes' API conventions.
const version = v.pipe(
  v.string('must be text'),
  v.regex(/^[\x21-\x7e]{1,64}$/, 'must be a token of 1 to 64 characters'),
)
const objectName = v.pipe(v.string(), v.check(isName(subdomainName)))
const objectNames = (most: number, least = 1) =>
  v.pipe(v.array(objectName), v.minLength(least), v.maxLength(most))
const shortText = v.pipe(v.string(), v.maxLength(MAX_SELECTOR_LENGTH))
const flag = v.picklist([0, 1])
const podFactsSchema = object({
  endpoint: v.strictTuple([
    v.nullable(shortText),
    v.union([shortText, v.pipe(v.array(shortText), v.maxLength(MAX_ADDRESSES))]),
    shortText,
    flag,
    flag,
    shortText,
    shortText,
    shortText,
  ]),
  ports: v.pipe(
    v.array(object({ name: shortText, protocol: v.optional(shortText), containerPort: whole(1, 65_535) })),
    v.maxLength(MAX_PORTS),
  ),
  zone: v.optional(shortText),
  isSelected: v.optional(v.literal(false)),
})
const factsFields = {
  at: whole(0),
  pods: v.pipe(v.array(v.nullable(podFactsSchema)), v.maxLength(HINTED_PODS)),
  addsEndpoints: v.optional(v.literal(true)),
}
const hintSchema = v.pipe(
  object({
    v: v.literal(HINT_VERSION),
    pods: objectNames(HINTED_PODS),
    slices: objectNames(HINTED_SLICES),
    sliceVersions: passedOver(v.array(version)),
    selected: passedOver(whole(0)),
    nodes: passedOver(objectNames(HINTED_PODS)),
    facts: passedOver(object({ ...factsFields, selector: shortText })),
  }),
  v.transform(({ v: _version, sliceVersions, facts, ...hint }) =>
    withValues<SyncHint>({
      ...hint,
      sliceVersions: sliceVersions?.length === hint.slices.length ? sliceVersions : undefined,
      facts: facts?.pods.length === hint.pods.length ? (facts as HintFacts) : undefined,
    }),
  ),
)

const readAheadSchema = v.pipe(
  object({
    slicesVersion: version,
    podsVersion: version,
    selector: v.optional(shortText),
    nodes: passedOver(objectNames(HINTED_PODS)),
    slices: passedOver(objectNames(HINTED_SLICES, 0)),
    sliceVersions: passedOver(v.array(version)),
    selected: passedOver(
      v.pipe(
        object({ pods: objectNames(HINTED_PODS, 0), facts: object(factsFields) }),
        v.check(({ pods, facts }) => pods.length === facts.pods.length),
      ),
    ),
  }),
  v.transform((ahead) => withValues<ReadAhead>(ahead as ReadAhead)),
)

const objectVersions = record(objectName, version)
const clusterVersionsSchema = object({
  export: v.optional(version),
  service: v.optional(version),
  slices: v.optional(objectVersions),
  import: v.optional(version),
  derived: v.optional(version),
  imported: v.optional(objectVersions),
})
const fleetVersionsSchema = v.pipe(
  record(v.pipe(v.string(), v.minLength(1), v.maxLength(CLUSTER_MAX_LENGTH)), clusterVersionsSchema),
  v.check((versions) => countVersions(versions) <= FLEET_VERSIONS),
)

const NO_OWNER = `must be a kind of owners of slices, such as ${ENDPOINT_SELECTOR}`
const NO_TIME = 'must be an RFC 3339 time'

/**
 * Unknown fields are ignored, so that a newer relay may add some; a change of meaning takes another `v`.
 * Without a field that is passed over, the sync is a full one and reads Nodes again, which is always correct.
 */
const bodySchema = v.pipe(
  object({
    v: v.picklist([SERVICE_VERSION, SELECTOR_VERSION], `must be ${SERVICE_VERSION} or ${SELECTOR_VERSION}`),
    ownerKind: v.optional(
      v.pipe(
        v.string(NO_OWNER),
        v.check((kind) => ownerOfKind(kind) !== SERVICE_OWNER, NO_OWNER),
      ),
    ),
    cluster: v.pipe(
      v.string('must be text'),
      v.minLength(1, 'must not be empty'),
      v.maxLength(CLUSTER_MAX_LENGTH, `must have at most ${CLUSTER_MAX_LENGTH} characters`),
      v.check((name) => !UNPRINTABLE.test(name), 'must be printable characters'),
    ),
    namespace: v.pipe(v.string('must be text'), v.check(isName(labelName), 'must be an RFC 1123 label')),
    // A subdomain takes in RFC 1035 and RFC 1123 labels alike (KEP-5311) and is still safe as a segment of a
    // URL path.
    service: v.pipe(v.string('must be text'), v.check(isName(subdomainName), 'must be a DNS name')),
    triggerTime: v.optional(v.pipe(dateTime(NO_TIME), v.maxLength(40, NO_TIME))),
    resourceVersion: v.optional(version),
    hint: passedOver(hintSchema),
    readAhead: passedOver(readAheadSchema),
    nodesVersion: passedOver(version),
    serviceVersion: passedOver(version),
    podsVersion: passedOver(version),
    history: passedOver(version),
    relayVerifies: passedOver(v.literal(true)),
    audit: passedOver(v.literal(true)),
    fleetVersions: passedOver(fleetVersionsSchema),
    membersDigest: passedOver(version),
    writer: passedOver(version),
  }),
  v.forward(
    v.check(
      ({ v, ownerKind }) => (v === SELECTOR_VERSION) === (ownerKind !== undefined),
      `must be there in version ${SELECTOR_VERSION}, and only there`,
    ),
    ['ownerKind'],
  ),
)

/** Encodes the JSON body of a message; fields that are absent from `message` are absent from the body. */
export function encodeMessage(message: KeyMessage): string {
  return JSON.stringify(bodyOf(message))
}

function bodyOf({ hint, ...message }: KeyMessage): object {
  const { cluster, namespace, service, ownerKind, triggerTime, resourceVersion } = message
  const { nodesVersion, serviceVersion, podsVersion, history, relayVerifies } = message
  const { readAhead, audit, fleetVersions, membersDigest, writer } = message
  const v = ownerKind === undefined ? SERVICE_VERSION : SELECTOR_VERSION
  const body = { v, ownerKind, cluster, namespace, service, triggerTime, resourceVersion }
  const versionedHint = hint && { v: HINT_VERSION, ...hint }
  const versions = { nodesVersion, serviceVersion, podsVersion, history }
  const hints = { hint: versionedHint, readAhead }
  return { ...body, ...hints, ...versions, relayVerifies, audit, fleetVersions, membersDigest, writer }
}

/** Reads a message body strictly: the error says which field breaks which rule. */
export function readMessage(body: string): KeyMessage | MalformedMessageError {
  const json = parseJson(body)
  if (json === undefined)
    return new MalformedMessageError(
      `failed to read message: the body of ${body.length} characters is not JSON`,
    )
  const checked = checkBody(json, 'read')
  if (checked instanceof MalformedMessageError) return checked
  const { v: _version, ...message } = checked
  return withValues<KeyMessage>(message as KeyMessage)
}

/** Reads a message body. @throws MalformedMessageError as of {@link readMessage} */
export function parseMessage(body: string): KeyMessage {
  const message = readMessage(body)
  if (message instanceof MalformedMessageError) throw message
  return message
}

/** Removes facts that bring addresses: whoever can send to the queue could misdirect traffic by them. */
export function withoutNewAddresses(message: KeyMessage): KeyMessage {
  const { hint, readAhead } = message
  const ofHint = hint?.facts?.addsEndpoints === true
  const ofSelected = readAhead?.selected?.facts.addsEndpoints === true
  if (!ofHint && !ofSelected) return message
  return {
    ...message,
    ...(ofHint && { hint: withValues<SyncHint>({ ...hint, facts: undefined }) }),
    ...(ofSelected && { readAhead: withValues<ReadAhead>({ ...readAhead, selected: undefined }) }),
  }
}

/** Says why {@link readMessage} would refuse a message on the other side; undefined if it would not. */
export function sendFault(message: KeyMessage): MalformedMessageError | undefined {
  const checked = checkBody(bodyOf(message), 'send')
  return checked instanceof MalformedMessageError ? checked : undefined
}

function checkBody(
  body: unknown,
  verb: 'read' | 'send',
): v.InferOutput<typeof bodySchema> | MalformedMessageError {
  const parsed = safeParse(bodySchema, body)
  if (parsed.success) return parsed.data
  const problems = parsed.issues.map(({ path, message }) => [...path, message].join(' '))
  const message = `failed to ${verb} message: ${problems.join('; ')}`
  return isNewer(body) ? new NewerMessageError(message) : new MalformedMessageError(message)
}

function isNewer(body: unknown): boolean {
  const { v } = (body ?? {}) as { readonly v?: unknown }
  return Number.isInteger(v) && (v as number) > SELECTOR_VERSION
}
