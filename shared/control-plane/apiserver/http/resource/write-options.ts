import { invalid } from '../../../apimachinery/errors/factories.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { Field } from '../../../apimachinery/validation/field.ts'
import { type Exchange, header } from '../exchange.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** Options in the query of a write: `CreateOptions`, `UpdateOptions` and `PatchOptions` of meta/v1 alike. */
export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldManager: string
  /** Whether an apply takes fields from their owners. */
  readonly force: boolean
  readonly fieldValidation: FieldValidation
  /** Options that the client sent, for admission; without `force`. */
  readonly sent: JsonObject
}

const MANAGER_LIMIT = 128
const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn']

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'

/** @param applies true for the patch that is a server-side apply */
export function writeOptions({ query, request }: Exchange, kind: OptionsKind, applies = false): WriteOptions {
  const dryRun = query.getAll('dryRun')
  const manager = query.get('fieldManager') ?? ''
  const validation = query.get('fieldValidation') ?? ''
  const options = { dryRun, fieldManager: manager, fieldValidation: validation, force: query.get('force') }
  const errors = new Field(options).collect((field) => {
    const [ownManager, force] = [field.child('fieldManager'), field.child('force')]
    if (kind === 'PatchOptions' && applies) ownManager.notEmpty('is required for apply patch')
    else if (kind === 'PatchOptions') force.ifSet?.forbidden('may not be specified for non-apply patch')
    ownManager.atMostBytes(MANAGER_LIMIT)
    ownManager.follows(unprintableIn)
    validateDryRun(field.child('dryRun'))
    field.child('fieldValidation').oneOf(VALIDATIONS)
  })
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors)
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager || header(request, 'user-agent').split('/')[0] || 'unknown',
    force: isForced(query),
    fieldValidation: validation === 'Ignore' || validation === 'Strict' ? validation : 'Warn',
    sent: {
      ...(dryRun.length > 0 ? { dryRun } : {}),
      ...(manager === '' ? {} : { fieldManager: manager }),
      ...(validation === '' ? {} : { fieldValidation: validation }),
    },
  }
}

/** Reads `force` as apimachinery reads booleans: all but `0` and `false` is true. */
function isForced(query: URLSearchParams): boolean {
  const value = query.get('force')
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}

export function validateDryRun(values: Field): void {
  if (!values.list.every((value) => value === 'All')) values.notSupported(['All'])
}

/** Returns what is wrong with each character that Go's unicode.IsPrint refuses; positions count bytes. */
function unprintableIn(text: string): string[] {
  return [...text.matchAll(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu)].map(({ 0: character, index }) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `invalid character U+${code} (at position ${Buffer.byteLength(text.slice(0, index))})`
  })
}
