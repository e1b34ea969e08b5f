import { ApiError, notAcceptable } from '../errors/index.ts'

/** The forms that an object can be asked for in instead of itself. */
export interface Transform {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList'
  readonly version: string
}

export interface Negotiated {
  readonly format: 'json' | 'yaml'
  readonly as?: Transform
}

interface Clause {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
  readonly quality: number
}

const ACCEPTED = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const STREAMED = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch']
const KNOWN = new Set([...ACCEPTED, '*/*'])
const TRANSFORMS: Record<string, readonly string[]> = {
  Table: ['v1', 'v1beta1'],
  PartialObjectMetadata: ['v1', 'v1beta1'],
  PartialObjectMetadataList: ['v1', 'v1beta1'],
}

/** Chooses how to answer from the `Accept` header. Throws a 406 where nothing fits; protobuf is never offered, JSON is. */
export function negotiate(accept: string): Negotiated {
  if (accept.trim() === '') return { format: 'json' }
  const clauses = parseAccept(accept)
  if (!clauses.some(({ type }) => KNOWN.has(type))) {
    const text = `406: Not Acceptable\n\nAvailable representations: ${[...ACCEPTED, ...STREAMED].join(', ')}`
    throw new ApiError(406, 'NotAcceptable', text, {})
  }
  for (const clause of clauses) {
    const format = formatOf(clause.type)
    if (!format) continue
    if (clause.parameters.as === undefined) return { format }
    const as = transformOf(clause.parameters)
    if (as) return { format, as }
  }
  throw notAcceptable(ACCEPTED)
}

/** As `negotiate`, for a stream of events: only JSON can be streamed. */
export function negotiateStream(accept: string): Negotiated {
  const negotiated = negotiate(accept)
  if (negotiated.format !== 'json') throw notAcceptable(STREAMED)
  return negotiated
}

/** True where the client would rather have the aggregated discovery document. */
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

function formatOf(type: string): 'json' | 'yaml' | undefined {
  if (type === 'application/json' || type === '*/*') return 'json'
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
