import type { Pod, Service } from '../../../shared/endpointslice/index.ts'

/** `replace`: Services with a selector; `custom`: Services without one that carry the annotation. */
export type SelectionMode = 'replace' | 'custom'

export const SELECTOR_ANNOTATION = 'sliceflow.dev/selector'

type Labels = Readonly<Record<string, string>>
type Matcher = (labels: Labels) => boolean

/**
 * Returns which pods the Service selects by its labels, or undefined if it is none of this mode's Services.
 */
export function expectedSelection(
  service: Service,
  mode: SelectionMode,
): ((pod: Pod) => boolean) | undefined {
  const { namespace } = service.metadata ?? {}
  const matches = mode === 'replace' ? selectorOf(service) : annotatedSelectorOf(service)
  if (matches === undefined) return undefined
  return (pod) => pod.metadata?.namespace === namespace && matches(pod.metadata?.labels ?? {})
}

const hasSelector = (service: Service): boolean => Object.keys(service.spec?.selector ?? {}).length > 0

function selectorOf(service: Service): Matcher | undefined {
  if (!hasSelector(service) || service.spec?.type === 'ExternalName') return undefined
  const wanted = Object.entries(service.spec?.selector ?? {})
  return (labels) => wanted.every(([key, value]) => labels[key] === value)
}

function annotatedSelectorOf(service: Service): Matcher | undefined {
  const text = service.metadata?.annotations?.[SELECTOR_ANNOTATION]
  if (text === undefined || hasSelector(service) || service.spec?.type === 'ExternalName') return undefined
  // A comma inside of parentheses does not end a requirement.
  const requirements = text.split(/,(?![^(]*\))/).map((requirement) => requirementOf(requirement.trim()))
  return (labels) => requirements.every((matches) => matches(labels))
}

/**
 * Parses the forms of a label selector that the suites use: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin
 * (b)`, `a`, `!a`.
 */
function requirementOf(text: string): Matcher {
  const setBased = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text)
  if (setBased) {
    const [, key = '', operator, list = ''] = setBased
    const values = list.split(',').map((value) => value.trim())
    const isIn: Matcher = (labels) => key in labels && values.includes(labels[key] ?? '')
    return operator === 'in' ? isIn : (labels) => !isIn(labels)
  }
  const equality = /^([^=!\s]+)\s*(!=|==?)\s*(\S*)$/.exec(text)
  if (equality) {
    const [, key = '', operator, value] = equality
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value
  }
  if (/^!\S+$/.test(text)) return (labels) => !(text.slice(1) in labels)
  if (/^[^!\s]+$/.test(text)) return (labels) => text in labels
  throw new Error(`the suites' own reading of selectors does not know "${text}"`)
}
