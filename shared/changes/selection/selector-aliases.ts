import type { SelectorAlias } from '../../settings/index.ts'

/** An annotation of another project that selects pods. */
export interface Alias {
  readonly annotation: string
  /** Annotations that ask for addresses on a network of that project’s own. */
  readonly networks: readonly string[]
  /** Reads the annotation as the text of a selector, or says what is wrong with it, as a clause. */
  read(text: string): { readonly text: string; readonly problem?: string }
}

/** DANM's svcwatcher: a JSON map; pods match that have all of its labels. */
const DANM: Alias = {
  annotation: 'danm.k8s.io/selector',
  networks: ['danm.k8s.io/network', 'danm.k8s.io/tenantNetwork', 'danm.k8s.io/clusterNetwork'],
  read(text) {
    const labels = labelsIn(text)
    if (labels === undefined)
      return { text: '', problem: 'it is not a JSON map of labels, such as {"app":"web"}' }
    return { text: labels.map(([key, value]) => `${key}=${value}`).join() }
  },
}

/** Calico VPP's multi-network Services: the form that `kubectl -l` takes. */
const CALICO: Alias = {
  annotation: 'extensions.projectcalico.org/selector',
  networks: ['extensions.projectcalico.org/network'],
  read: (text) => ({ text }),
}

const ALIASES: Readonly<Record<SelectorAlias, Alias>> = { danm: DANM, calico: CALICO }

/** Every annotation of other projects that may count. */
export const ALIAS_ANNOTATIONS: readonly string[] = Object.values(ALIASES).flatMap(
  ({ annotation, networks }) => [annotation, ...networks],
)

/** Limits the characters of an alias, as those of Sliceflow's own selector. */
const MAX_ALIAS_LENGTH = 4096

type Annotations = Readonly<Record<string, string>>

/** Finds the alias that a Service is annotated with, of those that count; the first of several. */
export const aliasOf = (
  annotations: Annotations,
  aliases: readonly SelectorAlias[] = [],
): Alias | undefined =>
  aliases.map((alias) => ALIASES[alias]).find(({ annotation }) => annotations[annotation] !== undefined)

export interface ReadAlias {
  readonly text: string
  readonly problem?: string
  /** The annotation that asks for a network, where there is one. */
  readonly network?: string
}

export function readAlias({ annotation, networks, read }: Alias, annotations: Annotations): ReadAlias {
  const text = annotations[annotation] ?? ''
  const network = networks.find((name) => annotations[name] !== undefined)
  const problem = `it has ${text.length} characters, and may have ${MAX_ALIAS_LENGTH}`
  const selector = text.length > MAX_ALIAS_LENGTH ? { text: '', problem } : read(text)
  return { ...selector, ...(network !== undefined && { network }) }
}

/** A value that is no label's would be read as something else, such as a second requirement. */
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/
const LABEL_KEY = /^[-A-Za-z0-9_./]+$/

function labelsIn(text: string): [string, string][] | undefined {
  let map: unknown
  try {
    map = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return undefined
  const entries = Object.entries(map)
  const isLabel = ([key, value]: [string, unknown]): boolean =>
    LABEL_KEY.test(key) && typeof value === 'string' && LABEL_VALUE.test(value)
  return entries.every(isLabel) ? entries.map(([key, value]) => [key, String(value)]) : undefined
}
