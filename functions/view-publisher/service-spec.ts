import type { ControllerSpec, OperatorSpec, ResourceSpec } from '../../shared/views/index.ts'

/** A spec whose views cannot be made of one Service at a time. */
export class ServiceSpecError extends Error {
  override readonly name = 'ServiceSpecError'
  readonly retryable = false
}

/**
 * Checks that a spec can be evaluated on one Service and its slices: it reads nothing else, and writes
 * nothing but views. What cannot be checked is up to its author: two Services must not give the same view
 * object.
 * @throws ServiceSpecError with everything that is against it
 */
export function assertServiceSpec({ name, controllers }: OperatorSpec): void {
  const problems = controllers.flatMap(problemsOf)
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

function problemsOf({ name, sources, target }: ControllerSpec): string[] {
  const foreign = sources.flatMap(({ type, kind, isView, ...source }) => {
    if (type !== 'Watcher')
      return [`controller ${name} has a ${type} source, but a function keeps no time between its calls`]
    if (isView || isServiceOrSlice({ kind, group: source.group })) return []
    return [`controller ${name} reads ${kind}, which is neither a Service nor an EndpointSlice`]
  })
  if (target.isView) return foreign
  return [...foreign, `controller ${name} writes ${target.kind}, which is not a view`]
}

const isServiceOrSlice = ({ group, kind }: Pick<ResourceSpec, 'group' | 'kind'>): boolean =>
  (group === '' && kind === 'Service') || (group === 'discovery.k8s.io' && kind === 'EndpointSlice')
