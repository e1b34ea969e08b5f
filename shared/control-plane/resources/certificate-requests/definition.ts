import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import { type KubeObject, timestamp } from '../../apimachinery/objects.ts'
import { errorsBy } from '../../apimachinery/validation/field.ts'
import { pathSegmentName } from '../../apimachinery/validation/names.ts'
import type { User } from '../../apiserver/registry/access.ts'
import type {
  ResourceDefinition,
  Subresource,
} from '../../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { orNone, shortAge } from '../../apiserver/table/format.ts'
import { builtInKind } from '../built-in-kind.ts'
import { conditionsOf, validateRequest, validateRequestUpdate } from './validation.ts'

/** `/approval`: takes the conditions, with those that decide. */
const approval: Subresource = {
  kind: 'CertificateSigningRequest',
  verbs: ['get', 'patch', 'update'],
  merge: (submitted, stored) => ({
    ...stored,
    metadata: submitted.metadata,
    status: { ...objectAt(stored, 'status'), conditions: conditionsOf(submitted) },
  }),
  prepare: (request, old, { now }) =>
    setConditions(request, timedConditions(conditionsOf(request), old, now)),
  validate: errorsBy((request, old: KubeObject) => validateRequestUpdate(request, old, { decisions: true })),
}

/** Requests for certificates of a signer. No signer runs here: see the README. */
export const certificateSigningRequests: ResourceDefinition = {
  ...builtInKind('certificates.k8s.io', 'CertificateSigningRequest'),
  namespaced: false,
  shortNames: ['csr'],
  nameRule: pathSegmentName,
  hasStatus: true,
  selectableFields: { 'spec.signerName': (request) => stringAt(objectAt(request, 'spec'), 'signerName') },
  table: tableOf('certificatesigningrequests', cells),
  subresources: { approval },
  strategy: {
    prepareForCreate: (request, { user }) => {
      request.spec = { ...objectAt(request, 'spec'), ...requesterOf(user) }
      request.status = {}
    },
    prepareForUpdate: (request, old) => {
      request.spec = objectAt(old, 'spec')
    },
    prepareForStatusUpdate: (request, old, { now }) => {
      const decided = withDecisionsOf(conditionsOf(request), old)
      setConditions(request, timedConditions(decided, old, now))
    },
    validateCreate: errorsBy(validateRequest),
    validateUpdate: errorsBy((request, old: KubeObject) => validateRequestUpdate(request, old)),
    validateStatusUpdate: errorsBy((request, old: KubeObject) =>
      validateRequestUpdate(request, old, { certificate: true }),
    ),
  },
}

/** Returns the requester as the server knows them, whatever the request says. */
function requesterOf({ username, uid, groups, extra = {} }: User): JsonObject {
  const listed: [string, JsonValue][] = Object.entries(extra).map(([key, values]) => [key, [...values]])
  return {
    username,
    uid: uid ?? '',
    groups: [...groups],
    extra: listed.length > 0 ? Object.fromEntries(listed) : null,
  }
}

function setConditions(request: KubeObject, conditions: readonly JsonObject[]): void {
  request.status = { ...objectAt(request, 'status'), conditions: [...conditions] }
}

/** Signers leave decisions as they are; one that they add or drop is an error of its own. */
function withDecisionsOf(conditions: readonly JsonObject[], old: KubeObject): JsonObject[] {
  return ['Approved', 'Denied'].reduce<JsonObject[]>(
    (current, decision) => {
      const former = conditionsOf(old).filter(({ type }) => type === decision)
      if (current.filter(({ type }) => type === decision).length !== former.length) return current
      const left = [...former]
      return current.map((condition) =>
        condition.type === decision ? (left.shift() ?? condition) : condition,
      )
    },
    [...conditions],
  )
}

/** Adds times that writers leave out. An unchanged condition keeps the time of its last change. */
function timedConditions(conditions: readonly JsonObject[], old: KubeObject, now: number): JsonObject[] {
  return conditions.map((condition) => {
    const former = conditionsOf(old).find(
      ({ type, status, lastTransitionTime }) =>
        type === condition.type && status === condition.status && lastTransitionTime,
    )
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime || timestamp(now),
      lastTransitionTime: condition.lastTransitionTime || former?.lastTransitionTime || timestamp(now),
    }
  })
}

function cells(request: KubeObject) {
  const spec = objectAt(request, 'spec')
  const seconds = numberAt(spec, 'expirationSeconds')
  return {
    SignerName: orNone(stringAt(spec, 'signerName')),
    Requestor: stringAt(spec, 'username'),
    RequestedDuration: seconds === undefined ? '<none>' : shortAge(seconds),
    Condition: stateOf(request),
  }
}

function stateOf(request: KubeObject): string {
  const has = (wanted: string) => conditionsOf(request).some(({ type }) => type === wanted)
  const issued = stringAt(objectAt(request, 'status'), 'certificate') !== ''
  return [
    has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending',
    ...(has('Failed') ? ['Failed'] : []),
    ...(issued ? ['Issued'] : []),
  ].join(',')
}
