import type { ControllerSpec, OperatorSpec, ResourceSpec } from '../../shared/views/index.ts'

/** A spec whose views cannot be made of one Service at a time. */
export class ServiceSpecError extends Error {
  override readonly name = 'ServiceSpecError'
  readonly retryable = false
}

/**
 * Checks that a spec can be evaluated on one Service and its slices: it reads nothing else, writes nothing
 * but views, and makes the same of the same. What cannot be checked is up to its author: two Services must
 * not give the same view object.
 * @throws ServiceSpecError with everything that is against it
 */
export function assertServiceSpec({ name, controllers }: OperatorSpec): void {
  const written = new Set(controllers.map(({ target }) => kindOf(target)))
  const problems = controllers.flatMap((controller) => problemsOf(controller, written))
  if (problems.length === 0) return
  throw new ServiceSpecError(
    `failed to use the spec of operator ${name} on single Services: ${problems.join('; ')}; sliceflow views takes any spec`,
  )
}

/** Returns the kinds that are published: views that no controller of the spec reads. */
export function publishedKinds({ controllers }: OperatorSpec): ReadonlySet<string> {
  const read = new Set(
    controllers.flatMap(({ sources }) => sources.filter(({ isView }) => isView).map(kindOf)),
  )
  return new Set(controllers.map(({ target }) => kindOf(target)).filter((kind) => !read.has(kind)))
}

const kindOf = ({ kind }: ResourceSpec): string => kind

function problemsOf(
  { name, sources, pipeline, target }: ControllerSpec,
  writtenKinds: ReadonlySet<string>,
): string[] {
  const foreign = sources.flatMap(({ type, kind, isView, ...source }) => {
    if (type !== 'Watcher')
      return [`controller ${name} has a ${type} source, but a function keeps no time between its calls`]
    if (isView && !writtenKinds.has(kind))
      return [
        `controller ${name} reads the view ${kind}, which no controller writes; a kind of Kubernetes needs its apiGroup, of Services ""`,
      ]
    if (isView || isServiceOrSlice({ kind, group: source.group })) return []
    return [`controller ${name} reads ${kind}, which is neither a Service nor an EndpointSlice`]
  })
  const unsteady = UNSTEADY.filter((word) => uses(pipeline, word)).map(
    (word) =>
      `controller ${name} uses ${word}, by which every check of a Service would be a change of its views`,
  )
  const written = target.isView ? [] : [`controller ${name} writes ${target.kind}, which is not a view`]
  return [...foreign, ...unsteady, ...written]
}

/** What gives another value each time. */
const UNSTEADY = ['@now', '@rnd'] as const

/** Reports whether expressions anywhere in a pipeline use one of these. */
function uses(node: unknown, word: (typeof UNSTEADY)[number]): boolean {
  if (typeof node !== 'object' || node === null) return false
  const { kind, operator } = node as { kind?: unknown; operator?: unknown }
  if (kind === 'call' && operator === word) return true
  if (kind === 'now' && word === '@now') return true
  return Object.values(node).some((inner) => uses(inner, word))
}

const isServiceOrSlice = ({ group, kind }: Pick<ResourceSpec, 'group' | 'kind'>): boolean =>
  (group === '' && kind === 'Service') || (group === 'discovery.k8s.io' && kind === 'EndpointSlice')
