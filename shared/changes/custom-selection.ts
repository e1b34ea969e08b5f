import { addressProblem, parseIp, type Service } from '../endpointslice/index.ts'
import { type LabelRequirement, labelName, parseLabelSelector, SelectorError } from '../kubernetes/index.ts'
import { blockListOf } from '../settings/index.ts'
import {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_NAMESPACE,
  ANNOTATION_NETWORK,
  ANNOTATION_SELECTOR,
  MAX_ANNOTATION_LENGTH,
  MAX_CLUSTERS,
  MAX_SELECTOR_TERMS,
  SELECTION_ANNOTATIONS,
} from './annotations.ts'
import { misspeltAnnotation } from './misspelt-annotation.ts'
import type { Permissions } from './permissions.ts'
import type { PodSelection, UnmanagedReason, UnpausedSelection } from './selection.ts'
import { type Alias, aliasOf, readAlias } from './selector-aliases.ts'

/** An annotation that cannot be used; never leaves this file. */
class AnnotationError extends Error {
  readonly annotation: string
  constructor(annotation: string, problem: string) {
    super(problem)
    this.annotation = annotation
  }
}

/**
 * An annotation that could be used, and names what the Service's namespace may not name; never leaves this
 * file.
 */
class RefusedError extends AnnotationError {}

/**
 * It is kept for each such Service, and written into an Event: characters at most, as it may quote the
 * annotation.
 */
const MAX_PROBLEM_LENGTH = 300

/** Returns the selection of a Service in `custom` mode. */
export function customSelection(service: Service, permissions: Permissions): UnpausedSelection {
  const { metadata, spec } = service
  if (spec?.type === 'ExternalName') return unmanaged('ExternalName')
  if (Object.keys(spec?.selector ?? {}).length > 0) return unmanaged('HasSelector')
  return misspeltSelection(metadata?.annotations) ?? annotatedSelection(service, permissions)
}

function misspeltSelection(
  annotations: Readonly<Record<string, string>> | undefined,
): UnpausedSelection | undefined {
  const misspelt = misspeltAnnotation(annotations)
  return misspelt && { kind: 'invalid', annotation: misspelt.annotation, problem: misspelt.problem }
}

function annotatedSelection(service: Service, permissions: Permissions): UnpausedSelection {
  const annotations = service.metadata?.annotations ?? {}
  const { [ANNOTATION_SELECTOR]: own, [ANNOTATION_ADDRESSES]: addresses } = annotations
  const isOwn = (own ?? addresses) !== undefined
  const alias = isOwn ? undefined : aliasOf(annotations, permissions.selectorAliases)
  if (!isOwn && alias === undefined) return unmanaged('NotAnnotated')
  try {
    checkLengths(service)
    return readSelection(service, alias, permissions)
  } catch (error) {
    if (!(error instanceof AnnotationError)) throw error
    const { annotation, message } = error
    const problem =
      message.length > MAX_PROBLEM_LENGTH ? `${message.slice(0, MAX_PROBLEM_LENGTH - 1)}…` : message
    return { kind: 'invalid', annotation, problem, ...(error instanceof RefusedError && { isRefused: true }) }
  }
}

function readSelection(
  service: Service,
  alias: Alias | undefined,
  permissions: Permissions,
): UnpausedSelection {
  const annotations = service.metadata?.annotations ?? {}
  const { [ANNOTATION_SELECTOR]: own, [ANNOTATION_ADDRESSES]: addresses } = annotations
  if (addresses === undefined) {
    const text = alias === undefined ? (own ?? '') : aliasedSelector(alias, annotations)
    return { kind: 'managed', ...podSelection(service, { text, by: alias?.annotation }, permissions) }
  }
  if (own === undefined)
    return { kind: 'static', addresses: staticAddresses(service, addresses, permissions) }
  throw new AnnotationError(ANNOTATION_ADDRESSES, `it excludes ${ANNOTATION_SELECTOR}: remove one of them`)
}

const unmanaged = (reason: UnmanagedReason): UnpausedSelection => ({
  kind: 'unmanaged',
  leftovers: 'delete',
  reason,
})

function aliasedSelector(alias: Alias, annotations: Readonly<Record<string, string>>): string {
  const { network, text, problem } = readAlias(alias, annotations)
  if (network !== undefined && annotations[ANNOTATION_NETWORK] === undefined)
    throw new AnnotationError(
      network,
      `it asks for addresses on a network: name it in ${ANNOTATION_NETWORK}, as pods tell it in their network status`,
    )
  if (problem !== undefined) throw new AnnotationError(alias.annotation, problem)
  return text
}

/** Checks the lengths of annotations before anything reads them. */
function checkLengths({ metadata }: Service): void {
  for (const annotation of SELECTION_ANNOTATIONS) {
    const { length } = metadata?.annotations?.[annotation] ?? ''
    const longest = MAX_ANNOTATION_LENGTH[annotation]
    if (length > longest)
      throw new AnnotationError(annotation, `it has ${length} characters, and may have ${longest}`)
  }
}

interface SelectorText {
  readonly text: string
  /** Annotation of another project that it stands in; undefined: Sliceflow's own. */
  readonly by: string | undefined
}

function podSelection(
  { metadata }: Service,
  { text, by = ANNOTATION_SELECTOR }: SelectorText,
  permissions: Permissions,
): PodSelection {
  const annotations = metadata?.annotations ?? {}
  const { [ANNOTATION_CLUSTER]: names, [ANNOTATION_NETWORK]: network } = annotations
  const namespace = annotations[ANNOTATION_NAMESPACE]
  const clusters = names === undefined ? undefined : clusterNames(names)
  if (namespace !== undefined && clusters === undefined)
    throw new AnnotationError(
      ANNOTATION_NAMESPACE,
      `it needs ${ANNOTATION_CLUSTER}: pods of this cluster are those of the Service’s own namespace`,
    )
  if (namespace !== undefined && labelName(namespace).length > 0)
    throw new AnnotationError(ANNOTATION_NAMESPACE, `"${namespace}" is not the name of a namespace`)
  if (network !== undefined && !NETWORK.test(network))
    throw new AnnotationError(ANNOTATION_NETWORK, `"${network}" is neither namespace/name nor name`)
  const own = metadata?.namespace ?? ''
  const of = namespace ?? own
  checkClusters(clusters ?? [], own, { namespace: of, permissions })
  return {
    selector: parseSelector(text, by),
    ...(by !== ANNOTATION_SELECTOR && { alias: by }),
    namespace: of,
    ...(clusters !== undefined && { clusters }),
    ...(network !== undefined && { network, networkRanges: networkRanges(own, permissions) }),
  }
}

function checkClusters(
  clusters: readonly string[],
  own: string,
  { namespace, permissions }: { readonly namespace: string; readonly permissions: Permissions },
): void {
  const refused = clusters.find((cluster) => !permissions.mayTakePods(own, { cluster, namespace }))
  if (refused !== undefined)
    throw new RefusedError(
      ANNOTATION_CLUSTER,
      `Services of namespace ${own} may not take pods of namespace ${namespace} of cluster ${refused} (setting allowedPods)`,
    )
}

function clusterNames(text: string): readonly string[] {
  if (text.trim() === '') throw new AnnotationError(ANNOTATION_CLUSTER, 'it is empty')
  const names = new Set(text.split(',').map((name) => name.trim()))
  if (names.has('')) throw new AnnotationError(ANNOTATION_CLUSTER, 'it has a comma without a name beside it')
  if (names.size > MAX_CLUSTERS)
    throw new AnnotationError(
      ANNOTATION_CLUSTER,
      `it names ${names.size} clusters, and may name ${MAX_CLUSTERS}`,
    )
  return [...names]
}

/** The name of a NetworkAttachmentDefinition, with or without its namespace. */
const NETWORK = /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\/)?[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/

function networkRanges(namespace: string, permissions: Permissions): readonly string[] {
  const ranges = permissions.networkRanges(namespace)
  if (ranges.length > 0) return ranges
  throw new RefusedError(
    ANNOTATION_NETWORK,
    `Services of namespace ${namespace} may not publish addresses of secondary networks (setting allowedNetworks)`,
  )
}

function parseSelector(text: string, annotation: string): readonly LabelRequirement[] {
  const selector = readSelector(text, annotation)
  const terms = selector.reduce((sum, { values }) => sum + Math.max(1, values.length), 0)
  if (terms > MAX_SELECTOR_TERMS)
    throw new AnnotationError(
      annotation,
      `it has ${terms} requirements and values, and may have ${MAX_SELECTOR_TERMS}`,
    )
  if (terms > 0) return selector
  throw new AnnotationError(annotation, 'it is empty and would match every pod of the namespace')
}

function readSelector(text: string, annotation: string): readonly LabelRequirement[] {
  try {
    return parseLabelSelector(text)
  } catch (error) {
    if (error instanceof SelectorError) throw new AnnotationError(annotation, error.message)
    throw error
  }
}

function staticAddresses({ metadata, spec }: Service, text: string, permissions: Permissions): string[] {
  const addresses = text.split(',').map((address) => address.trim())
  for (const address of addresses) {
    const problem = addressProblem(address)
    if (problem !== undefined) throw new AnnotationError(ANNOTATION_ADDRESSES, problem)
  }
  const named = spec?.ports?.find(({ targetPort }) => typeof targetPort === 'string')
  if (named !== undefined)
    throw new AnnotationError(
      ANNOTATION_ADDRESSES,
      `the targetPort "${named.targetPort}" is a name, which only pods can resolve: give a number`,
    )
  checkAddresses(addresses, metadata?.namespace ?? '', permissions)
  return addresses
}

function checkAddresses(addresses: readonly string[], namespace: string, permissions: Permissions): void {
  const allowed = blockListOf(permissions.addressRanges(namespace))
  const refused = addresses.find((address) => {
    const { text = '', type } = parseIp(address) ?? {}
    return !allowed.check(text, type === 'IPv4' ? 'ipv4' : 'ipv6')
  })
  if (refused !== undefined)
    throw new RefusedError(
      ANNOTATION_ADDRESSES,
      `Services of namespace ${namespace} may not name the address ${refused} (setting allowedAddresses)`,
    )
}
