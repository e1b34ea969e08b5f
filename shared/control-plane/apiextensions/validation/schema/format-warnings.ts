import { quoted } from '../../../../kubernetes/index.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { Field } from '../../../apimachinery/validation/field.ts'
import { isKnownFormat } from '../../structural/formats.ts'
import { everySchema } from './walk.ts'

const OF_NUMBERS: Readonly<Record<string, readonly string[] | undefined>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
}

/** Returns warnings of unknown formats that `old` lacks (upstream: getUnrecognizedFormatsInCRD). */
export function formatWarnings(crd: KubeObject, old: KubeObject | undefined): string[] {
  const known = old ? unknownFormats(old) : new Set()
  return [...unknownFormats(crd)]
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${quoted(format)}`)
}

function unknownFormats(crd: KubeObject): Set<string> {
  const schemas = new Field(crd)
    .child('spec', 'versions')
    .items()
    .flatMap((version) => everySchema(version.child('schema', 'openAPIV3Schema')))
  return new Set(
    schemas.filter((schema) => !isRecognized(schema)).map((schema) => schema.child('format').text),
  )
}

function isRecognized(schema: Field): boolean {
  const [type, format] = [schema.child('type').text, schema.child('format').text]
  if (format === '') return true
  if (type === '' || type === 'string') return isKnownFormat(format)
  return OF_NUMBERS[type]?.includes(format) ?? false
}
