import { addressProblem, type Service } from '../endpointslice/index.ts'
import { type LabelRequirement, labelName, parseLabelSelector, SelectorError } from '../kubernetes/index.ts'
import type { PodSelection, Selection, UnmanagedReason } from './selection.ts'

/** On a Service without a selector: which pods it shall have, in the form that `kubectl -l` takes. */
export const ANNOTATION_SELECTOR = 'sliceflow.dev/selector'
/** With a selector: the pods are in this cluster, by the name that it has in Sliceflow. */
export const ANNOTATION_CLUSTER = 'sliceflow.dev/cluster'
/** With a cluster: the pods are in this namespace of it. Default: the Service's. */
export const ANNOTATION_NAMESPACE = 'sliceflow.dev/namespace'
/** With a selector: publish the pods' addresses on this network, `namespace/name` or `name`. */
export const ANNOTATION_NETWORK = 'sliceflow.dev/network'
/** Instead of a selector: these addresses, separated by commas. */
export const ANNOTATION_ADDRESSES = 'sliceflow.dev/addresses'

/** On a Service whose plan is held: lets it go on. The value is that of the annotation sliceflow.dev/held-since of its slice. */
export const ANNOTATION_RELEASE = 'sliceflow.dev/release'

/** Every annotation that says what a Service's endpoints are. */
export const SELECTION_ANNOTATIONS = [
  ANNOTATION_SELECTOR,
  ANNOTATION_CLUSTER,
  ANNOTATION_NAMESPACE,
  ANNOTATION_NETWORK,
  ANNOTATION_ADDRESSES,
] as const

type Annotation = (typeof SELECTION_ANNOTATIONS)[number]

/** An annotation that cannot be used; never leaves this file. */
class AnnotationError extends Error {
  readonly annotation: Annotation
  constructor(annotation: Annotation, problem: string) {
    super(problem)
    this.annotation = annotation
  }
}

/** Of a Service in `custom` mode. */
export function customSelection(service: Service): Selection {
  const { metadata, spec } = service
  const hasSelector = Object.keys(spec?.selector ?? {}).length > 0
  const { [ANNOTATION_SELECTOR]: selector, [ANNOTATION_ADDRESSES]: addresses } = metadata?.annotations ?? {}
  const isAnnotated = selector !== undefined || addresses !== undefined
  if (spec?.type === 'ExternalName') return unmanaged('ExternalName')
  if (hasSelector) return unmanaged('HasSelector')
  if (!isAnnotated) return unmanaged('NotAnnotated')
  try {
    if (addresses === undefined) return { kind: 'managed', ...podSelection(service, selector ?? '') }
    if (selector === undefined) return { kind: 'static', addresses: staticAddresses(service, addresses) }
    throw new AnnotationError(ANNOTATION_ADDRESSES, `it excludes ${ANNOTATION_SELECTOR}: remove one of them`)
  } catch (error) {
    if (!(error instanceof AnnotationError)) throw error
    return { kind: 'invalid', annotation: error.annotation, problem: error.message }
  }
}

const unmanaged = (reason: UnmanagedReason): Selection => ({ kind: 'unmanaged', leftovers: 'delete', reason })

function podSelection({ metadata }: Service, text: string): PodSelection {
  const annotations = metadata?.annotations ?? {}
  const { [ANNOTATION_CLUSTER]: cluster, [ANNOTATION_NETWORK]: network } = annotations
  const namespace = annotations[ANNOTATION_NAMESPACE]
  if (cluster?.trim() === '') throw new AnnotationError(ANNOTATION_CLUSTER, 'it is empty')
  if (namespace !== undefined && cluster === undefined)
    throw new AnnotationError(
      ANNOTATION_NAMESPACE,
      `it needs ${ANNOTATION_CLUSTER}: pods of this cluster are those of the Service’s own namespace`,
    )
  if (namespace !== undefined && labelName(namespace).length > 0)
    throw new AnnotationError(ANNOTATION_NAMESPACE, `"${namespace}" is not the name of a namespace`)
  if (network !== undefined && !NETWORK.test(network))
    throw new AnnotationError(ANNOTATION_NETWORK, `"${network}" is neither namespace/name nor name`)
  return {
    selector: parseSelector(text),
    namespace: namespace ?? metadata?.namespace ?? '',
    ...(cluster !== undefined && { cluster }),
    ...(network !== undefined && { network }),
  }
}

/** The name of a NetworkAttachmentDefinition, with or without its namespace. */
const NETWORK = /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\/)?[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/

function parseSelector(text: string): readonly LabelRequirement[] {
  try {
    const selector = parseLabelSelector(text)
    if (selector.length > 0) return selector
  } catch (error) {
    if (error instanceof SelectorError) throw new AnnotationError(ANNOTATION_SELECTOR, error.message)
    throw error
  }
  throw new AnnotationError(ANNOTATION_SELECTOR, 'it is empty and would match every pod of the namespace')
}

function staticAddresses({ spec }: Service, text: string): string[] {
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
  return addresses
}
