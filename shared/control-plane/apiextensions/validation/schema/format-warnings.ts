import { quoted } from '../../../../kubernetes/index.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { objectAt, stringAt } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { versionsOf } from '../../crd.ts'
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
  const schemas = versionsOf(crd).flatMap((version) =>
    everySchema(objectAt(objectAt(version, 'schema'), 'openAPIV3Schema'), ''),
  )
  return new Set(
    schemas.filter(({ schema }) => !isRecognized(schema)).map(({ schema }) => stringAt(schema, 'format')),
  )
}

function isRecognized(schema: JsonObject): boolean {
  const [type, format] = [stringAt(schema, 'type'), stringAt(schema, 'format')]
  if (format === '') return true
  if (type === '' || type === 'string') return isKnownFormat(format)
  return OF_NUMBERS[type]?.includes(format) ?? false
}
