import { quoted } from '../../../../kubernetes/index.ts'
import {
  badRequest,
  expired,
  internal,
  tooLargeResourceVersion,
} from '../../../apimachinery/errors/factories.ts'
import { invalidValue } from '../../../apimachinery/errors/field.ts'
import { ApiError } from '../../../apimachinery/errors/status.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import type { Endpoint } from '../../registry/definition/resource-definition.ts'
import type { ObjectRecord } from '../../storage/stored-object.ts'
import { continueAfter, continueLatest, decodeContinue } from './continue-token.ts'
import type { ListOptions } from './list-options.ts'

/** Milliseconds for which a reader waits for a revision that does not exist yet. */
const FUTURE_WAIT = 3000
const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

interface ListMetadata extends JsonObject {
  resourceVersion: string
  continue?: string
  remainingItemCount?: number
}

export interface ObjectList {
  readonly metadata: ListMetadata
  readonly items: readonly ObjectRecord[]
}

interface Range {
  readonly revision: number
  readonly start: string
  readonly limit: number
}

/** Lists objects of a namespace, or of all where it is empty, at one revision. */
export async function listObjects(
  endpoint: Endpoint,
  namespace: string,
  options: ListOptions,
): Promise<ObjectList> {
  const range = await rangeOf(endpoint, options)
  const { store, resource, converted } = endpoint
  const prefix = namespace === '' ? '' : `${namespace}/`
  const stored =
    range.revision === store.revision
      ? store.records(resource, prefix)
      : store.recordsAt(resource, prefix, range.revision)
  // Selectors are about what the client sees.
  const all = converted ? await converted.readRecords(stored) : stored
  const relative = ({ key }: ObjectRecord): string => key.slice(prefix.length)
  const rest = range.start === '' ? all : all.filter((record) => relative(record) >= range.start)
  const { matches } = options
  const matching = matches ? rest.filter(({ object }) => matches(object)) : rest
  const items = range.limit > 0 ? matching.slice(0, range.limit) : matching
  const last = items.at(-1)
  // As upstream looks no further than the limit, what is left may match or not.
  const isCut = range.limit > 0 && items.length === range.limit && last !== undefined
  const left = isCut ? rest.length - rest.indexOf(last) - 1 : 0
  return {
    items,
    metadata: {
      resourceVersion: String(range.revision),
      ...(left > 0 && last ? { continue: continueAfter(range.revision, relative(last)) } : {}),
      ...(left > 0 && !matches ? { remainingItemCount: left } : {}),
    },
  }
}

async function rangeOf(endpoint: Endpoint, options: ListOptions): Promise<Range> {
  const { continueToken, resourceVersion, limit } = options
  if (continueToken !== '') return await continuedRange(endpoint, options)
  const current = endpoint.store.revision
  if (resourceVersion === '') return { revision: current, start: '', limit }
  const wanted = parseRevision(resourceVersion)
  // Answers from the cache, as those at revision 0 are, are never cut.
  if (wanted === 0) return { revision: current, start: '', limit: 0 }
  const { store } = endpoint
  if (!(await store.reached(wanted, FUTURE_WAIT)))
    throw tooLargeResourceVersion(resourceVersion, store.revision)
  const exact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && limit > 0)
  if (!exact) return { revision: store.revision, start: '', limit }
  if (wanted < store.compacted) throw expired('The resourceVersion for the provided list is too old.')
  return { revision: wanted, start: '', limit }
}

async function continuedRange({ store }: Endpoint, options: ListOptions): Promise<Range> {
  const { resourceVersion } = options
  const { revision, start } = decodeContinue(options.continueToken)
  if (resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  const limit = resourceVersion === '0' ? 0 : options.limit
  if (revision < 0n) return { revision: store.revision, start, limit }
  // What is rounded is far beyond every revision there will be.
  if (!(await store.reached(Number(revision), FUTURE_WAIT)))
    throw tooLargeResourceVersion(String(revision), store.revision)
  if (revision < store.compacted) throw expiredToken(start)
  return { revision: Number(revision), start, limit }
}

class ExpiredContinueError extends ApiError {
  readonly token: string

  constructor(token: string) {
    super(410, 'Expired', TOO_OLD)
    this.token = token
  }

  override get status() {
    return { ...super.status, metadata: { continue: this.token } }
  }
}

function expiredToken(start: string): ApiError {
  return new ExpiredContinueError(continueLatest(start))
}

function parseRevision(text: string): number {
  const why = whyNoRevision(text)
  if (why !== undefined) throw badRequest(`invalid resource version: ${why}`)
  return Number(text)
}

/** Returns what is wrong with a malformed version; undefined if it is valid. */
export function whyNoRevision(text: string): string | undefined {
  const isNumber = /^\d+$/.test(text)
  if (isNumber && BigInt.asUintN(64, BigInt(text)) === BigInt(text)) return undefined
  const why = isNumber ? 'value out of range' : 'invalid syntax'
  const parsing = `strconv.ParseUint: parsing ${quoted(text)}: ${why}`
  const { field, message } = invalidValue('resourceVersion', text, parsing)
  return `${field}: ${message}`
}

/** Throws a 504 when an object is asked for at a revision that does not come within the wait. */
export async function checkReachable({ store }: Endpoint, resourceVersion: string): Promise<void> {
  if (resourceVersion === '' || resourceVersion === '0') return
  const why = whyNoRevision(resourceVersion)
  // Of one object upstream takes this for a failure of its own.
  if (why !== undefined) throw internal(why)
  const wanted = Number(resourceVersion)
  if (!(await store.reached(wanted, FUTURE_WAIT)))
    throw tooLargeResourceVersion(resourceVersion, store.revision)
}
