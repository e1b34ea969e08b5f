import { messageOf } from '../../errors/index.ts'
import { parseJsonExactly } from '../../exact-numbers.ts'
import { quoted } from '../../go-quote.ts'
import { isObject, type JsonObject, type JsonValue, ownMember } from '../../json.ts'
import { nestingOf } from '../../nesting.ts'
import { goValueName } from '../../schema/index.ts'
import type { ReviewVersion } from './review.ts'

/** As deep as bodies of clients may be. */
const DEEPEST = 500

/** What a webhook has answered, checked. */
export interface AdmissionResponse {
  readonly allowed: boolean
  /** Of a denial: a meta/v1 Status whose fields are of any type. */
  readonly status: JsonObject | undefined
  /** Operations of a JSON patch; empty where nothing is to be changed. */
  readonly patch: readonly JsonValue[]
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
}

export interface Expected {
  readonly uid: string
  readonly version: ReviewVersion
  readonly mutating: boolean
}

/** Reads an AdmissionReview that was answered. Throws an Error with upstream's text where it does not count. */
export function readResponse(answer: JsonValue, expected: Expected): AdmissionResponse {
  const response = isObject(answer) ? ownMember(answer, 'response') : undefined
  if (!isObject(answer) || !isObject(response)) throw new Error('webhook response was absent')
  const optional = readers(response)
  if (expected.version === 'v1') checkReview(answer, optional.text('uid') ?? '', expected)
  return {
    allowed: optional.flag('allowed'),
    status: optional.object('status'),
    patch: patchOf(optional, expected),
    warnings: optional.texts('warnings'),
    auditAnnotations: optional.map('auditAnnotations'),
  }
}

/** Of v1 alone: webhooks of v1beta1 may leave out what they answer to. */
function checkReview(answer: JsonObject, uid: string, expected: Expected): void {
  if (uid !== expected.uid) {
    throw new Error(`expected response.uid=${quoted(expected.uid)}, got ${quoted(uid)}`)
  }
  const { kind = '', apiVersion = '' } = answer
  if (kind === 'AdmissionReview' && apiVersion === 'admission.k8s.io/v1') return
  const shown = String(apiVersion).includes('/') ? String(apiVersion) : `/${apiVersion}`
  throw new Error(
    `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${shown}, Kind=${kind}`,
  )
}

function patchOf(optional: Readers, { version, mutating }: Expected): readonly JsonValue[] {
  const patch = optional.text('patch') ?? ''
  const type = optional.text('patchType')
  if (!mutating) {
    if (version === 'v1' && patch !== '') throw new Error('validating webhook may not return response.patch')
    if (version === 'v1' && type !== undefined)
      throw new Error('validating webhook may not return response.patchType')
    return []
  }
  if (version === 'v1') checkPatchType(patch, type)
  return patch === '' ? [] : decodedPatch(patch)
}

function checkPatchType(patch: string, type: string | undefined): void {
  if (patch !== '' && type === undefined) {
    throw new Error('webhook returned response.patch but not response.patchType')
  }
  if (patch === '' && type !== undefined) {
    throw new Error('webhook returned response.patchType but not response.patch')
  }
  if (type === '') throw new Error('webhook returned invalid response.patchType of ""')
  if (type !== undefined && type !== 'JSONPatch') throw new Error(`unsupported patch type ${quoted(type)}`)
}

function decodedPatch(base64: string): readonly JsonValue[] {
  const text = Buffer.from(base64, 'base64').toString()
  if (nestingOf(text) > DEEPEST)
    throw new Error(`received undecodable patch in webhook response: exceeded max depth ${DEEPEST}`)
  let patch: JsonValue
  try {
    patch = parseJsonExactly(text)
  } catch (error) {
    const why = messageOf(error)
    throw new Error(`received undecodable patch in webhook response: ${why}`, { cause: error })
  }
  if (Array.isArray(patch)) return patch
  throw new Error(
    `received undecodable patch in webhook response: json: cannot unmarshal ${goValueName(patch)} into Go value of type jsonpatch.Patch`,
  )
}

type Readers = ReturnType<typeof readers>

/** Members of the response that may be absent or null, and must have their types otherwise. */
function readers(response: JsonObject) {
  const member = (name: string): JsonValue | undefined => ownMember(response, name) ?? undefined
  const wrong = (name: string, value: JsonValue, type: string): Error =>
    new Error(
      `json: cannot unmarshal ${goValueName(value)} into Go struct field AdmissionResponse.response.${name} of type ${type}`,
    )
  const strings = (name: string, values: readonly JsonValue[], type: string): string[] =>
    values.map((value) => {
      if (typeof value !== 'string') throw wrong(name, value, type)
      return value
    })
  return {
    text(name: string): string | undefined {
      const value = member(name)
      if (value === undefined || typeof value === 'string') return value
      throw wrong(name, value, 'string')
    },
    flag(name: string): boolean {
      const value = member(name) ?? false
      if (typeof value === 'boolean') return value
      throw wrong(name, value, 'bool')
    },
    object(name: string): JsonObject | undefined {
      const value = member(name)
      if (value === undefined || isObject(value)) return value
      throw wrong(name, value, 'v1.Status')
    },
    texts(name: string): string[] {
      const value = member(name) ?? []
      if (!Array.isArray(value)) throw wrong(name, value, '[]string')
      return strings(name, value, 'string')
    },
    map(name: string): Record<string, string> {
      const value = member(name) ?? {}
      if (!isObject(value)) throw wrong(name, value, 'map[string]string')
      const entries = Object.entries(value)
      const texts = strings(
        name,
        entries.map(([, item]) => item ?? null),
        'string',
      )
      return Object.fromEntries(entries.map(([key], index) => [key, texts[index] ?? '']))
    },
  }
}
