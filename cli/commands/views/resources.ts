import { ageOf, type KubeObject, type ResourceDefinition } from '../../../shared/control-plane/index.ts'
import { NO_NAME } from '../../../shared/kubernetes/index.ts'
import type { Json, JsonObject, ViewKind } from '../../../shared/views/index.ts'

/** Elements of a list that a cell shows, and characters of anything else. */
const LIST_LIMIT = 3
const TEXT_LIMIT = 60

/** Defines how an API server serves a view: under any name, and with a column for each field of its spec. */
export function viewResource({ group, version, kind, fields }: ViewKind): ResourceDefinition {
  const singular = kind.toLowerCase()
  return {
    group,
    version,
    kind,
    singular,
    plural: pluralOf(singular),
    namespaced: true,
    // View objects are named by their specs: with capitals, as web-TCP-80, or dots and colons. Nobody could
    // ask for one of these.
    nameRule: (name) => (NO_NAME.test(name) ? ["may not be '.' or '..', or contain '/' or '%'"] : []),
    table: {
      columns: [
        { name: 'Name', type: 'string', format: 'name' },
        ...fields.map((field) => ({ name: headingOf(field), type: 'string' })),
        { name: 'Age', type: 'string' },
      ],
      cells: (object, now) => [
        object.metadata.name ?? '',
        ...fields.map((field) => cellOf(specOf(object)[field])),
        ageOf(object, now),
      ],
    },
  }
}

/** Forms the plural by the rule of code generators: `endpointviews`, `proxies`, `ingresses`. */
function pluralOf(word: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`
}

/** Writes a heading as kubectl's own columns have it: `serviceName` → `Service-Name`. */
const headingOf = (field: string): string =>
  `${field.slice(0, 1).toUpperCase()}${field.slice(1).replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')}`

function specOf({ spec }: KubeObject): JsonObject {
  return typeof spec === 'object' && spec !== null && !Array.isArray(spec) ? (spec as JsonObject) : {}
}

function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null || value === '') return '<none>'
  if (!Array.isArray(value)) return cut(typeof value === 'object' ? JSON.stringify(value) : String(value))
  const more = value.length - LIST_LIMIT
  const shown = value.slice(0, LIST_LIMIT).map(cellOf).join(',')
  return more > 0 ? `${shown} + ${more} more...` : shown || '<none>'
}

const cut = (text: string): string => (text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}...` : text)
