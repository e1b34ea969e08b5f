import {
  type FieldError,
  forbiddenField,
  invalid,
  invalidValue,
  notSupported,
  tooLong,
} from '../errors/index.ts'
import { type Exchange, header } from './exchange.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** What the query of a write says: `CreateOptions`, `UpdateOptions` and `PatchOptions` of meta/v1 alike. */
export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
}

const MANAGER_LIMIT = 128
const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn']

export function writeOptions(
  { query, request }: Exchange,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteOptions {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '')
  const manager = query.get('fieldManager') ?? ''
  const validation = query.get('fieldValidation') ?? ''
  const errors = [
    ...(VALIDATIONS.includes(validation) ? [] : [notSupported('fieldValidation', validation, VALIDATIONS)]),
    ...dryRunErrors(dryRun),
    ...managerErrors(manager),
    ...(kind === 'PatchOptions' && query.has('force')
      ? [forbiddenField('force', 'may not be specified for non-apply patch')]
      : []),
  ]
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors)
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager || header(request, 'user-agent').split('/')[0] || 'unknown',
    fieldValidation: validation === 'Ignore' || validation === 'Strict' ? validation : 'Warn',
  }
}

export function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [notSupported('dryRun', [...values], ['All'])]
}

function managerErrors(manager: string): FieldError[] {
  if (Buffer.byteLength(manager) > MANAGER_LIMIT) return [tooLong('fieldManager', MANAGER_LIMIT)]
  return /^[\P{C}]*$/u.test(manager)
    ? []
    : [invalidValue('fieldManager', manager, 'should only contain printable characters')]
}
