import { type LabelRequirement, matchesLabels } from '../../../../kubernetes/index.ts'
import { invalid } from '../../../apimachinery/errors/factories.ts'
import { type KubeObject, labelsOf } from '../../../apimachinery/objects.ts'
import {
  checkFields,
  type FieldRequirement,
  matchesFields,
  parseFieldSelector,
  parseLabelSelector,
} from '../../../apimachinery/selectors.ts'
import { Field } from '../../../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../../registry/definition/resource-definition.ts'
import { isWatch, queryBoolean, queryInteger } from '../request-info.ts'

/** `ListOptions` of meta/v1, from the query of a list or a watch. */
export interface ListOptions {
  readonly limit: number
  readonly continueToken: string
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly timeoutSeconds: number | undefined
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
  /** Reports whether the selectors of the request match; undefined if it has none. */
  readonly matches: ((object: KubeObject) => boolean) | undefined
}

/** Reads and checks the options. Throws 400 for unreadable ones and 422 for forbidden combinations. */
export function listOptions(
  query: URLSearchParams,
  definition: ResourceDefinition,
  watch: boolean,
): ListOptions {
  const timeoutSeconds = queryInteger(query, 'timeoutSeconds')
  const limit = queryInteger(query, 'limit') ?? 0
  const labels = parseLabelSelector(query.get('labelSelector') ?? '')
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '')
  const options = {
    limit: Math.max(0, limit),
    continueToken: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds,
    allowWatchBookmarks: queryBoolean(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: queryBoolean(query, 'sendInitialEvents'),
    matches: matcher(definition, labels, fields),
  }
  const { matches, ...checked } = options
  const errors = new Field(checked).collect(watch ? validateWatch : validateList)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  checkFields(fields, selectableNames(definition), unknownFieldText(definition))
  return options
}

export function wantsWatch(query: URLSearchParams, verb: string): boolean {
  return verb === 'watch' || isWatch(query)
}

function selectableNames(definition: ResourceDefinition): string[] {
  return ['metadata.name', 'metadata.namespace', ...Object.keys(definition.selectableFields ?? {})]
}

/** Returns the text for an unknown field. Resources with selectable fields of their own have another one. */
function unknownFieldText({ selectableFields, kind }: ResourceDefinition): string | undefined {
  return selectableFields ? kind : undefined
}

function matcher(
  definition: ResourceDefinition,
  labels: readonly LabelRequirement[],
  fields: readonly FieldRequirement[],
): ListOptions['matches'] {
  if (labels.length === 0 && fields.length === 0) return undefined
  return (object) =>
    matchesFields(fields, (name) => fieldValue(definition, object, name)) &&
    (labels.length === 0 || matchesLabels(labels, labelsOf(object)))
}

function fieldValue(definition: ResourceDefinition, object: KubeObject, name: string): string {
  if (name === 'metadata.name') return object.metadata.name ?? ''
  if (name === 'metadata.namespace') return object.metadata.namespace ?? ''
  return definition.selectableFields?.[name]?.(object) ?? ''
}

const MATCH = 'resourceVersionMatch'

function validateList(options: Field): void {
  const [match, version] = [options.child(MATCH).ifFilled, options.child('resourceVersion').text]
  if (version === '') match?.forbidden(`${MATCH} is forbidden unless resourceVersion is provided`)
  if (options.child('continueToken').text !== '')
    match?.forbidden(`${MATCH} is forbidden when continue is provided`)
  match?.oneOf(['Exact', 'NotOlderThan', ''])
  if (match?.text === 'Exact' && version === '0')
    match.forbidden(`${MATCH} "exact" is forbidden for resourceVersion "0"`)
  options.child('sendInitialEvents').ifSet?.forbidden('sendInitialEvents is forbidden for list')
}

function validateWatch(options: Field): void {
  const [match, initial] = [options.child(MATCH), options.child('sendInitialEvents').ifSet]
  const bare = !initial && ['', '0'].includes(options.child('resourceVersion').text)
  if (initial && match.text !== 'NotOlderThan')
    match.forbidden(`sendInitialEvents requires setting ${MATCH} to NotOlderThan`)
  if (!initial)
    match.ifFilled?.forbidden(`${MATCH} is forbidden for watch unless sendInitialEvents is provided`)
  match.ifFilled?.oneOf(['NotOlderThan'])
  // A watch from the beginning is a NotOlderThan one in disguise, and this is where that shows.
  if ((match.text !== '' || bare) && options.child('continueToken').text !== '')
    match.forbidden(`${MATCH} is forbidden when continue is provided`)
}
