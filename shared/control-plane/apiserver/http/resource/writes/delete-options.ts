import { quoted } from '../../../../../kubernetes/index.ts'
import { badRequest, invalid } from '../../../../apimachinery/errors/factories.ts'
import type { JsonObject } from '../../../../apimachinery/json/exact-numbers.ts'
import { integerAt, objectAt, stringAt, stringsAt } from '../../../../apimachinery/json/values.ts'
import { Field } from '../../../../apimachinery/validation/field.ts'
import type { DeleteOptions } from '../../../registry/definition/resource-definition.ts'
import { canonical, DecodeError } from '../../../schema/decode.ts'
import { BodyError, parseBody } from '../../body/parse-body.ts'
import type { RequestBody } from '../../body/read-body.ts'
import { queryBoolean, queryInt64 } from '../../request-info.ts'
import { validateDryRun } from '../write-options.ts'

export interface DeleteRequest extends DeleteOptions {
  readonly dryRun: boolean
  /** Options that the client sent, for admission. */
  readonly sent: JsonObject
}

const POLICIES = ['Foreground', 'Background', 'Orphan', 'nil']

/** Reads `DeleteOptions` from the body or, without one, from the query. */
export function deleteOptions({ text, contentType }: RequestBody, query: URLSearchParams): DeleteRequest {
  const value = text === '' ? fromQuery(query) : fromBody(text, contentType)
  const policy = typeof value.propagationPolicy === 'string' ? value.propagationPolicy : undefined
  const orphan = value.orphanDependents
  const dryRun = stringsAt(value, 'dryRun')
  const errors = new Field(value).collect((options) => {
    const propagation = options.child('propagationPolicy').ifSet
    if (typeof orphan === 'boolean')
      propagation?.invalid('orphanDependents and deletionPropagation cannot be both set')
    propagation?.oneOf(POLICIES)
    validateDryRun(options.child('dryRun'))
  })
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
  const grace = integerAt(value, 'gracePeriodSeconds')
  const propagation = policyOf(policy, orphan === true)
  return {
    dryRun: dryRun.length > 0,
    sent: sentOptions(value, dryRun),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace < 0 ? 0 : grace }),
    ...(propagation ? { propagationPolicy: propagation } : {}),
    preconditions: preconditionsOf(objectAt(value, 'preconditions')),
  }
}

/** Keeps the fields of DeleteOptions and no others. */
function sentOptions(value: JsonObject, dryRun: string[]): JsonObject {
  const { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy } = value
  const known = { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy }
  const sent = Object.entries(known).filter(([, field]) => field !== undefined && field !== null)
  return { ...Object.fromEntries(sent), ...(dryRun.length > 0 ? { dryRun } : {}) }
}

function policyOf(policy: string | undefined, orphan: boolean): DeleteOptions['propagationPolicy'] {
  if (policy === 'Foreground' || policy === 'Background' || policy === 'Orphan') return policy
  return orphan ? 'Orphan' : undefined
}

function preconditionsOf(value: JsonObject): NonNullable<DeleteOptions['preconditions']> {
  const { uid, resourceVersion } = value
  return {
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  }
}

function fromQuery(query: URLSearchParams): JsonObject {
  const grace = queryInt64(query, 'gracePeriodSeconds')
  const policy = query.get('propagationPolicy')
  const orphan = queryBoolean(query, 'orphanDependents')
  return {
    dryRun: query.getAll('dryRun'),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(orphan === undefined ? {} : { orphanDependents: orphan }),
  }
}

function fromBody(text: string, contentType: string): JsonObject {
  const value = readBodyObject(text, contentType)
  const kind = stringAt(value, 'kind')
  if (kind !== '' && kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind ${quoted(kind)} is registered for version ${quoted(stringAt(value, 'apiVersion') || 'meta.k8s.io/v1')} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  try {
    return canonical(value, 'meta.DeleteOptions')
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message)
    throw error
  }
}

function readBodyObject(text: string, contentType: string): JsonObject {
  try {
    return parseBody(text, contentType).value
  } catch (error) {
    if (error instanceof BodyError) throw badRequest(error.message.replace(/ \([^()]*\)$/, ''))
    throw error
  }
}
