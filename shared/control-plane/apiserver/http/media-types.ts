import { notAcceptable } from '../../apimachinery/errors/factories.ts'
import { ApiError } from '../../apimachinery/errors/status.ts'

/** The forms that an object can be asked for in instead of itself. */
export interface Transform {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList'
  readonly version: string
}

export type Format = 'json' | 'yaml' | 'protobuf'

export interface Negotiated {
  readonly format: Format
  readonly as?: Transform
}

interface Clause {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
  readonly quality: number
}

export const PROTOBUF = 'application/vnd.kubernetes.protobuf'

const ACCEPTED = ['application/json', 'application/yaml', PROTOBUF]
const STREAMED = ['application/json;stream=watch', `${PROTOBUF};stream=watch`]
const KNOWN = new Set([...ACCEPTED, '*/*'])
const TRANSFORMS: Record<string, readonly string[]> = {
  Table: ['v1', 'v1beta1'],
  PartialObjectMetadata: ['v1', 'v1beta1'],
  PartialObjectMetadataList: ['v1', 'v1beta1'],
}

/** Media types with which a path can answer. */
export interface Offer {
  readonly protobuf: boolean
  /** Default: true. */
  readonly table?: boolean
  /** True of paths that serve lists and watches: the error lists types of streams, too. */
  readonly streams?: boolean
  /** True of custom resources: their paths refuse no media type before their handler runs. */
  readonly custom?: boolean
}

/** Chooses how to answer from the `Accept` header. Throws a 406 where nothing fits. */
export function negotiate(accept: string, offer: Offer): Negotiated {
  if (accept.trim() === '') return { format: 'json' }
  const clauses = parseAccept(accept)
  if (!offer.custom) checkRepresented(clauses, offer)
  for (const clause of clauses) {
    const format = formatOf(clause.type)
    if (!format || (format === 'protobuf' && !isOfferedProtobuf(clause, offer.protobuf))) continue
    if (clause.parameters.as === undefined) return { format }
    const as = transformOf(clause.parameters)
    if (as && (offer.table !== false || as.kind !== 'Table')) return { format, as }
  }
  throw notAcceptable(ACCEPTED)
}

function checkRepresented(clauses: readonly Clause[], { streams }: Offer): void {
  if (clauses.some(({ type }) => KNOWN.has(type))) return
  throw notAcceptableHere(streams ? [...ACCEPTED, ...STREAMED] : ACCEPTED)
}

/** Makes the 406 of a path that has only answers of other types. */
export function notAcceptableHere(types: readonly string[]): ApiError {
  const text = `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`
  return new ApiError(406, 'NotAcceptable', text, {})
}

/** Negotiates as `negotiate` does, for a stream of events: YAML cannot be streamed. */
export function negotiateStream(accept: string, offer: Offer): Negotiated {
  const negotiated = negotiate(accept, offer)
  if (negotiated.format === 'yaml') throw notAcceptable(STREAMED)
  return negotiated
}

/** Returns the type that the `Accept` header prefers among these; undefined if it accepts none. */
export function acceptedType(accept: string, types: readonly string[]): string | undefined {
  const clauses = parseAccept(accept.trim() === '' ? '*/*' : accept)
  for (const { type } of clauses) {
    const found = types.find((offered) => type === '*/*' || type === offered || type === anyOf(offered))
    if (found !== undefined) return found
  }
  return undefined
}

const anyOf = (type: string): string => `${type.slice(0, type.indexOf('/'))}/*`

/** Reports whether the client would rather have the aggregated discovery document. */
export function wantsAggregatedDiscovery(accept: string): boolean {
  const clause = parseAccept(accept).find(
    ({ type, parameters }) => formatOf(type) && (parameters.as === undefined || isDiscovery(parameters)),
  )
  if (!clause && accept.trim() !== '') throw notAcceptable(ACCEPTED)
  return clause?.parameters.as !== undefined
}

function isDiscovery({ as, g, v }: Readonly<Record<string, string>>): boolean {
  return as === 'APIGroupDiscoveryList' && g === 'apidiscovery.k8s.io' && v === 'v2'
}

/** Tables have no protobuf form; the metadata of any object has. */
function isOfferedProtobuf({ parameters: { as, v } }: Clause, offersProtobuf: boolean): boolean {
  return as === undefined ? offersProtobuf : as.startsWith('PartialObjectMetadata') && v === 'v1'
}

function formatOf(type: string): Format | undefined {
  if (type === 'application/json' || type === 'application/*' || type === '*/*') return 'json'
  if (type === PROTOBUF) return 'protobuf'
  return type === 'application/yaml' ? 'yaml' : undefined
}

function transformOf({ as, g, v }: Readonly<Record<string, string>>): Transform | undefined {
  if (g !== 'meta.k8s.io' || !TRANSFORMS[as ?? '']?.includes(v ?? '')) return undefined
  return { kind: as as Transform['kind'], version: v ?? '' }
}

/** Clauses by quality, best first; equal ones stay in their order. */
function parseAccept(accept: string): Clause[] {
  return accept
    .split(',')
    .map((text) => {
      const [type = '', ...rest] = text.split(';').map((part) => part.trim())
      const parameters = Object.fromEntries(rest.map((part) => part.split('=').map((side) => side.trim())))
      return { type, parameters, quality: Number(parameters.q ?? 1) }
    })
    .sort((a, b) => b.quality - a.quality)
}
