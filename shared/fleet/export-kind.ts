import { type AnnotationRule, checkProblem, ENDPOINT_SELECTOR } from '../changes/index.ts'
import {
  ENDPOINT_SELECTOR_OWNER,
  projectedUid,
  SERVICE_OWNER,
  type Service,
  type ServicePort,
  type SliceOwner,
} from '../endpointslice/index.ts'
import { labelValue } from '../kubernetes/index.ts'
import { isRecord, recordOf } from '../values/index.ts'
import { isAbsent } from './faults.ts'
import { ANNOTATION_EXPORT_KIND } from './well-known.ts'

const PROBLEM = `it must be Service or ${ENDPOINT_SELECTOR}`

/** What the annotation must be. */
export const EXPORT_KIND_RULE: AnnotationRule = {
  annotation: ANNOTATION_EXPORT_KIND,
  checks: [
    { kind: 'length', most: ENDPOINT_SELECTOR.length, problem: PROBLEM },
    { kind: 'pattern', pattern: /^(Service|EndpointSelector)$/, problem: PROBLEM },
  ],
}

/** Returns the kind of owner whose slices an export offers; in words what is wrong with the annotation. */
export function exportedOwner(serviceExport: unknown): SliceOwner | string {
  const value = recordOf(recordOf(recordOf(serviceExport).metadata).annotations)[ANNOTATION_EXPORT_KIND]
  if (isAbsent(value)) return SERVICE_OWNER
  const problem = typeof value === 'string' ? checkProblem(EXPORT_KIND_RULE.checks, value) : PROBLEM
  return problem ?? (value === ENDPOINT_SELECTOR ? ENDPOINT_SELECTOR_OWNER : SERVICE_OWNER)
}

/**
 * Returns an EndpointSelector, in the form of a Service, with the ports that an import has of it: their
 * numbers are those of the Pods, as there is no virtual address that others would belong to.
 */
export function exportedSelector(selector: Service): Service {
  const { spec } = selector
  const ports = portsOf(selector).map((port) => ({ ...port, port: port.targetPort as number }))
  return { ...selector, spec: { ...spec, ports } }
}

/** Whatever the cluster sent. */
const portsOf = ({ spec }: Service): readonly ServicePort[] =>
  Array.isArray(spec?.ports) ? spec.ports.filter((port) => isRecord(port)) : []

/** Says why an EndpointSelector cannot be exported, as a sentence; undefined where it can be. */
export function selectorProblem(selector: Service): string | undefined {
  if (projectedUid(selector) !== undefined)
    return `It stands for the Service of its name, which has the slices: remove ${ANNOTATION_EXPORT_KIND} to export that.`
  const [tooLong] = labelValue(selector.metadata?.name ?? '')
  if (tooLong !== undefined) return `Its name cannot be a label of slices: ${tooLong}.`
  const named = portsOf(selector).find(({ targetPort }) => typeof targetPort === 'string')
  return (
    named &&
    `Its port ${JSON.stringify(named.name ?? '')} has the name of a targetPort, ${JSON.stringify(named.targetPort)}: an import needs a number.`
  )
}
