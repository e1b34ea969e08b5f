/**
 * Writes `kubernetes.json`: for every Go struct that a served kind reaches, its JSON fields in declaration order with their types and merge
 * rules. Run it again when the Kubernetes version moves: `node generate.ts API_MODULE APIMACHINERY_MODULE` (folders of k8s.io/api and
 * k8s.io/apimachinery).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface GoField {
  goName: string
  goType: string
  tag: string
  markers: string[]
}
type Scope = { readonly prefix: string; readonly imports: Record<string, string> }

const ROOTS = [
  'core.Namespace core.Service core.Pod core.Node core.Event core.ConfigMap core.Secret core.ServiceAccount core.Endpoints core.Binding',
  'discovery.EndpointSlice coordination.Lease policy.Eviction meta.DeleteOptions meta.ListMeta meta.Status',
]
  .join(' ')
  .split(' ')
const PACKAGES: Record<string, string> = {
  core: 'api/core/v1/types.go',
  discovery: 'api/discovery/v1/types.go',
  coordination: 'api/coordination/v1/types.go',
  policy: 'api/policy/v1/types.go',
  meta: 'apimachinery/pkg/apis/meta/v1/types.go',
}
const SPECIAL: Record<string, string> = {
  'meta.Time': 'time',
  'meta.MicroTime': 'microtime',
  'meta.FieldsV1': 'any',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intstr',
  'runtime.RawExtension': 'any',
  'types.UID': 'string',
  'types.NodeName': 'string',
}
const IMPORTS = {
  metav1: 'meta',
  v1: 'core',
  corev1: 'core',
  resource: 'resource',
  intstr: 'intstr',
  runtime: 'runtime',
  types: 'types',
}

const structs = new Map<string, GoField[]>()
const aliases = new Map<string, string>()
const structMarkers = new Map<string, string[]>()

/** Reads the struct and type declarations of a file with the `+markers` before them. */
class PackageReader {
  readonly #prefix: string
  #markers: string[] = []
  #fields: GoField[] | undefined

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  line(line: string): void {
    const marker = /^\s*\/\/\s*\+(?:k8s:)?([A-Za-z:]+)=?(.*)$/.exec(line)
    if (marker) this.#markers.push(`${marker[1]}=${marker[2]}`)
    else if (line.trim() === '') this.#markers = []
    else if (line.startsWith('type ')) this.#declaration(line)
    else if (line.startsWith('}')) this.#fields = undefined
    else this.#field(line)
  }

  #declaration(line: string): void {
    const [, name, target = ''] = /^type (\w+) (\S.*)$/.exec(line) ?? []
    const full = `${this.#prefix}.${name}`
    if (target.startsWith('struct {')) {
      this.#fields = []
      structs.set(full, this.#fields)
      structMarkers.set(full, this.#markers)
    } else aliases.set(full, target)
    this.#markers = []
  }

  #field(line: string): void {
    const [, goName = '', goType = '', tag = ''] = /^\t(?:(\w+)\s+)?(\S+)\s+`(.*)`/.exec(line) ?? []
    if (!this.#fields || !tag.includes('json:')) return
    this.#fields.push({ goName, goType, tag, markers: this.#markers })
    this.#markers = []
  }
}

function resolve(goType: string, scope: Scope): string {
  if (goType.startsWith('*')) return `*${resolve(goType.slice(1), scope)}`
  if (goType === '[]byte') return 'bytes'
  if (goType.startsWith('[]')) return `[]${resolve(goType.slice(2), scope)}`
  const map = /^map\[[^\]]+\](.*)$/.exec(goType)
  if (map) return `{}${resolve(map[1] ?? '', scope)}`
  if (/^(string|bool|int32|int64|float64)$/.test(goType)) return goType
  if (goType === 'int') return 'int64'
  const [pkg, name] = goType.includes('.') ? goType.split('.') : ['', goType]
  const full = `${pkg ? (scope.imports[pkg] ?? pkg) : scope.prefix}.${name}`
  if (SPECIAL[full]) return SPECIAL[full]
  const alias = aliases.get(full)
  if (alias) return resolve(alias, { ...scope, prefix: full.split('.')[0] ?? '' })
  return full
}

function fieldTags(field: GoField): string[] {
  const tagOf = (name: string) => new RegExp(`${name}:"([^"]*)"`).exec(field.tag)?.[1]
  const marked = (name: string) =>
    field.markers.filter((m) => m.startsWith(`${name}=`)).map((m) => m.slice(name.length + 1))
  const out: string[] = []
  if (tagOf('patchStrategy')) out.push(`patch:${tagOf('patchStrategy')}`)
  if (tagOf('patchMergeKey')) out.push(`key:${tagOf('patchMergeKey')}`)
  if (marked('listType')[0]) out.push(`list:${marked('listType')[0]}`)
  if (marked('listMapKey').length > 0) out.push(`keys:${[...new Set(marked('listMapKey'))].join(',')}`)
  if (marked('mapType')[0] === 'atomic' || marked('structType')[0] === 'atomic') out.push('atomic')
  if (marked('default')[0]) out.push(`default:${marked('default')[0]}`)
  return out
}

function fieldsOf(name: string, reached: Set<string>): string[] {
  const prefix = name.split('.')[0] ?? ''
  const scope: Scope = { prefix, imports: prefix === 'core' ? { ...IMPORTS, v1: 'meta' } : IMPORTS }
  return (structs.get(name) ?? []).flatMap((field) => {
    const [json = '', ...options] = (/json:"([^"]*)"/.exec(field.tag)?.[1] ?? '').split(',')
    const type = resolve(field.goType, scope)
    if (json === '-') return []
    if (json === '') return fieldsOf(type, reached)
    const target = type.replace(/^(\*|\[\]|\{\})+/, '')
    if (structs.has(target)) reached.add(target)
    const flags = `${options.includes('omitempty') ? '?' : ''}${options.includes('omitzero') ? '!' : ''}`
    return [[`${json}${flags}`, type, ...fieldTags(field)].join(' ')]
  })
}

const [api = '', apimachinery = ''] = process.argv.slice(2)
for (const [prefix, path] of Object.entries(PACKAGES)) {
  const [module, ...rest] = path.split('/')
  const reader = new PackageReader(prefix)
  for (const line of readFileSync(join(module === 'api' ? api : apimachinery, ...rest), 'utf8').split('\n'))
    reader.line(line)
}
const table: Record<string, string[]> = {}
const reached = new Set<string>(ROOTS)
for (const name of reached) {
  const atomic = structMarkers.get(name)?.includes('structType=atomic')
  table[name] = [...(atomic ? ['@atomic'] : []), ...fieldsOf(name, reached)]
}
const sorted = Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(new URL('./kubernetes.json', import.meta.url), `${JSON.stringify(sorted, null, 2)}\n`)
