import {
  type LabelSelector,
  objectFault,
  type SelectorService,
  type ServicePort,
} from '../../endpointslice/index.ts'
import {
  type LabelRequirement,
  labelKey,
  labelName,
  labelValue,
  portName,
  selectorFromExpressions,
} from '../../kubernetes/index.ts'
import type { Permissions } from '../sources/permissions.ts'
import { PODS_SOURCE } from '../sources/pods.ts'
import { ASKED_SOURCES } from '../sources/selection-rules.ts'
import { isReadSource } from '../sources/source.ts'
import { annotatedSelection, misspeltSelection, refinedPods, usable } from './custom-selection.ts'
import type { InvalidSelection, UnpausedSelection } from './types.ts'

/** Requirements and values at most: each Pod that changes is compared with every one of them. */
const MAX_TERMS = 100

/**
 * Returns the selection of an EndpointSelector, in either mode: the Pods of its selector. Annotations mean
 * the same as on a Service: they change where the Pods are, or ask for something else in place of Pods.
 */
export function selectorSelection(service: SelectorService, permissions: Permissions): UnpausedSelection {
  const { metadata, labelSelector } = service
  const annotations = metadata?.annotations ?? {}
  const misspelt = misspeltSelection(service)
  if (misspelt !== undefined) return misspelt
  const asked = ASKED_SOURCES.find(({ asks }) => annotations[asks] !== undefined)
  if (asked !== undefined && !isReadSource(asked))
    return { kind: 'invalid', annotation: asked.asks, problem: `an ${service.kind} has its own selector` }
  const problem = specProblem(service)
  if (problem !== undefined) return { kind: 'invalid', ...problem }
  if (asked !== undefined) return annotatedSelection(service, permissions)
  const pods = { selector: requirementsOf(labelSelector), namespace: metadata?.namespace ?? '' }
  return usable(service, () => ({
    kind: 'managed',
    ...Object.assign(pods, ...refinedPods(PODS_SOURCE, service, permissions)),
  }))
}

/** What is wrong with a field, which an {@link InvalidSelection} names in place of an annotation. */
type FieldProblem = Pick<InvalidSelection, 'annotation' | 'problem'>

/**
 * Says what is wrong with a spec that an API server with our definition would have refused. Another version
 * of the definition may allow more; then nothing is published, as no API server accepts such slices.
 */
function specProblem({ metadata, labelSelector, spec = {} }: SelectorService): FieldProblem | undefined {
  const { ports, ipFamilies } = spec
  const fault = objectFault('EndpointSelector', {
    metadata,
    spec: { selector: labelSelector, ports, ipFamilies },
  })
  if (fault !== undefined) {
    const [field = 'spec.selector'] = /^spec\.(?:ports|ipFamilies)/.exec(fault) ?? []
    return { annotation: field, problem: fault }
  }
  const problems = {
    'metadata.name': labelValue(metadata?.name ?? '')[0],
    'spec.selector': selectorProblem(labelSelector),
    'spec.ports': portsProblem(ports ?? []),
    'spec.ipFamilies': familiesProblem(ipFamilies ?? []),
  }
  const [first] = Object.entries(problems).flatMap(([annotation, problem]) =>
    problem === undefined ? [] : [{ annotation, problem }],
  )
  return first
}

const familiesProblem = (families: readonly string[]): string | undefined =>
  families.flatMap((family) =>
    family === 'IPv4' || family === 'IPv6' ? [] : [`${quoted(family)} is no family`],
  )[0]

const PROTOCOLS = ['TCP', 'UDP', 'SCTP']

/** Says which port cannot be one of a slice, or clashes with another. */
function portsProblem(ports: readonly ServicePort[]): string | undefined {
  const names = new Set<string>()
  for (const [index, port] of ports.entries()) {
    const { name = '' } = port
    const problem = names.has(name) ? `another port has the name ${quoted(name)} as well` : portProblem(port)
    if (problem !== undefined) return `port ${index + 1} of ${ports.length}: ${problem}`
    names.add(name)
  }
  return undefined
}

function portProblem({
  name = '',
  protocol = 'TCP',
  targetPort = 0,
  appProtocol,
}: ServicePort): string | undefined {
  const [nameProblem] = name === '' ? [] : labelName(name)
  if (nameProblem !== undefined) return `its name ${quoted(name)} ${nameProblem}`
  if (!PROTOCOLS.includes(protocol))
    return `its protocol ${quoted(protocol)} is none of ${PROTOCOLS.join(', ')}`
  const [targetProblem] =
    typeof targetPort === 'string'
      ? portName(targetPort)
      : isPort(targetPort)
        ? []
        : ['is not from 1 to 65535']
  if (targetProblem !== undefined) return `its targetPort ${quoted(String(targetPort))} ${targetProblem}`
  const [appProblem] = appProtocol === undefined ? [] : labelKey(appProtocol)
  return appProblem && `its appProtocol ${quoted(appProtocol ?? '')} ${appProblem}`
}

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535

const quoted = (text: string): string => JSON.stringify(text.slice(0, MAX_QUOTED))
/** Characters of a name in a message. */
const MAX_QUOTED = 64

function selectorProblem(labelSelector: LabelSelector | undefined): string | undefined {
  const requirements = requirementsOf(labelSelector)
  const terms = requirements.reduce((sum, { values }) => sum + Math.max(1, values.length), 0)
  if (terms > MAX_TERMS) return `it has ${terms} requirements and values, and ${MAX_TERMS} are allowed`
  return requirements.flatMap(({ key, values }) => [...labelKey(key), ...values.flatMap(labelValue)])[0]
}

const requirementsOf = ({ matchLabels, matchExpressions }: LabelSelector = {}): LabelRequirement[] =>
  selectorFromExpressions(matchLabels, matchExpressions)
