import { parseIp, type Service } from '../../endpointslice/index.ts'
import { type LabelRequirement, parseLabelSelector } from '../../kubernetes/index.ts'
import { blockListOf } from '../../settings/index.ts'
import {
  ANNOTATION_COMPANIONS,
  annotationProblem,
  lengthProblem,
  type RuledAnnotation,
} from '../sources/annotation-rules.ts'
import {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_NAMESPACE,
  ANNOTATION_NETWORK,
  ANNOTATION_SELECTOR,
  MAX_ANNOTATION_LENGTH,
  SELECTION_ANNOTATIONS,
} from '../sources/annotations.ts'
import type { Permissions } from '../sources/permissions.ts'
import { misspeltAnnotation } from './misspelt-annotation.ts'
import type { PodSelection, UnmanagedReason, UnpausedSelection } from './types.ts'

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
 * It is stored for each such Service, and written into an Event: characters at most, as it may quote the
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
  if ((own ?? addresses) === undefined) return unmanaged('NotAnnotated')
  try {
    checkLengths(service)
    return readSelection(service, permissions)
  } catch (error) {
    if (!(error instanceof AnnotationError)) throw error
    const { annotation, message } = error
    const problem =
      message.length > MAX_PROBLEM_LENGTH ? `${message.slice(0, MAX_PROBLEM_LENGTH - 1)}…` : message
    return { kind: 'invalid', annotation, problem, ...(error instanceof RefusedError && { isRefused: true }) }
  }
}

function readSelection(service: Service, permissions: Permissions): UnpausedSelection {
  const annotations = service.metadata?.annotations ?? {}
  const { [ANNOTATION_SELECTOR]: own, [ANNOTATION_ADDRESSES]: addresses } = annotations
  if (addresses === undefined) return { kind: 'managed', ...podSelection(service, own ?? '', permissions) }
  if (own === undefined)
    return { kind: 'static', addresses: staticAddresses(service, addresses, permissions) }
  throw new AnnotationError(ANNOTATION_ADDRESSES, ANNOTATION_COMPANIONS.addressesExcludeSelector)
}

const unmanaged = (reason: UnmanagedReason): UnpausedSelection => ({
  kind: 'unmanaged',
  leftovers: 'delete',
  reason,
})

/** Checks the lengths of annotations before anything reads them. */
function checkLengths({ metadata }: Service): void {
  for (const annotation of SELECTION_ANNOTATIONS) {
    const problem = lengthProblem(
      MAX_ANNOTATION_LENGTH[annotation],
      metadata?.annotations?.[annotation] ?? '',
    )
    if (problem !== undefined) throw new AnnotationError(annotation, problem)
  }
}

/** @throws AnnotationError where the value breaks the rule of the annotation */
function checkForm(annotation: RuledAnnotation, text: string | undefined): void {
  const problem = text === undefined ? undefined : annotationProblem(annotation, text)
  if (problem !== undefined) throw new AnnotationError(annotation, problem)
}

function podSelection({ metadata }: Service, text: string, permissions: Permissions): PodSelection {
  const annotations = metadata?.annotations ?? {}
  const { [ANNOTATION_CLUSTER]: names, [ANNOTATION_NETWORK]: network } = annotations
  const namespace = annotations[ANNOTATION_NAMESPACE]
  const clusters = names === undefined ? undefined : clusterNames(names)
  if (namespace !== undefined && clusters === undefined)
    throw new AnnotationError(ANNOTATION_NAMESPACE, ANNOTATION_COMPANIONS.namespaceNeedsCluster)
  checkForm(ANNOTATION_NAMESPACE, namespace)
  checkForm(ANNOTATION_NETWORK, network)
  const own = metadata?.namespace ?? ''
  const of = namespace ?? own
  checkClusters(clusters ?? [], own, { namespace: of, permissions })
  return {
    selector: parseSelector(text),
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
  checkForm(ANNOTATION_CLUSTER, text)
  return [...new Set(text.split(',').map((name) => name.trim()))]
}

function networkRanges(namespace: string, permissions: Permissions): readonly string[] {
  const ranges = permissions.networkRanges(namespace)
  if (ranges.length > 0) return ranges
  throw new RefusedError(
    ANNOTATION_NETWORK,
    `Services of namespace ${namespace} may not publish addresses of secondary networks (setting allowedNetworks)`,
  )
}

function parseSelector(text: string): readonly LabelRequirement[] {
  checkForm(ANNOTATION_SELECTOR, text)
  return parseLabelSelector(text)
}

function staticAddresses({ metadata, spec }: Service, text: string, permissions: Permissions): string[] {
  checkForm(ANNOTATION_ADDRESSES, text)
  const addresses = text.split(',').map((address) => address.trim())
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
