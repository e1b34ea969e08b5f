/**
 * Writes `kubernetes.json`: for every Go struct that a served kind reaches, its JSON fields in declaration
 * order with their types, numbers in protobuf and merge rules. Run it again when the Kubernetes version
 * moves: `node generate.ts FOLDER VERSION`, as `…/pkg/mod/k8s.io v0.36.4`: where the modules of k8s.io are,
 * and which.
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
  'core.ResourceQuota discovery.EndpointSlice coordination.Lease policy.Eviction events.Event networking.IPAddress networking.ServiceCIDR',
  'rbac.Role rbac.RoleBinding rbac.ClusterRole rbac.ClusterRoleBinding',
  'authentication.TokenReview authentication.TokenRequest authentication.SelfSubjectReview',
  'authorization.SubjectAccessReview authorization.LocalSubjectAccessReview authorization.SelfSubjectAccessReview authorization.SelfSubjectRulesReview',
  'admissionregistration.ValidatingWebhookConfiguration admissionregistration.MutatingWebhookConfiguration',
  'admissionregistration.ValidatingAdmissionPolicy admissionregistration.ValidatingAdmissionPolicyBinding',
  'admissionregistration.MutatingAdmissionPolicy admissionregistration.MutatingAdmissionPolicyBinding',
  'admission.AdmissionReview',
  'certificates.CertificateSigningRequest flowcontrol.FlowSchema flowcontrol.PriorityLevelConfiguration',
  'apiextensions.CustomResourceDefinition apiregistration.APIService',
  'meta.DeleteOptions meta.ListMeta meta.Status meta.PartialObjectMetadata meta.APIGroupList meta.APIResourceList meta.APIVersions',
]
  .join(' ')
  .split(' ')
/** Files of a package, the module first. */
const PACKAGES: Record<string, readonly string[]> = {
  core: ['api', 'core/v1/types.go'],
  discovery: ['api', 'discovery/v1/types.go'],
  coordination: ['api', 'coordination/v1/types.go'],
  policy: ['api', 'policy/v1/types.go'],
  events: ['api', 'events/v1/types.go'],
  networking: ['api', 'networking/v1/types.go'],
  rbac: ['api', 'rbac/v1/types.go'],
  authentication: ['api', 'authentication/v1/types.go'],
  authorization: ['api', 'authorization/v1/types.go'],
  admission: ['api', 'admission/v1/types.go'],
  admissionregistration: ['api', 'admissionregistration/v1/types.go'],
  certificates: ['api', 'certificates/v1/types.go'],
  flowcontrol: ['api', 'flowcontrol/v1/types.go'],
  apiextensions: [
    'apiextensions-apiserver',
    'pkg/apis/apiextensions/v1/types.go',
    'pkg/apis/apiextensions/v1/types_jsonschema.go',
  ],
  apiregistration: ['kube-aggregator', 'pkg/apis/apiregistration/v1/types.go'],
  meta: ['apimachinery', 'pkg/apis/meta/v1/types.go', 'pkg/apis/meta/v1/group_version.go'],
}
const SPECIAL: Record<string, string> = {
  'meta.Time': 'time',
  'meta.MicroTime': 'microtime',
  'meta.FieldsV1': 'any',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intstr',
  'runtime.RawExtension': 'any',
  'apiextensions.JSON': 'any',
  'apiextensions.JSONSchemaPropsOrBool': 'schemaOrBool',
  'apiextensions.JSONSchemaPropsOrArray': 'schemaOrArray',
  'apiextensions.JSONSchemaPropsOrStringArray': 'schemaOrStrings',
  'types.UID': 'string',
  'types.NodeName': 'string',
}
/** Lists that are messages of their own in protobuf, with their items under 1. */
const LISTS_WITH_MESSAGES = new Set(['Verbs'])
const IMPORTS = {
  metav1: 'meta',
  authenticationv1: 'authentication',
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
    if (target.startsWith('struct {') || target === 'struct{}') {
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

/** Returns encoding/json's name of a named type, such as `[]v1.IPFamily`; empty if `resolve` agrees. */
function goNameOf(goType: string, scope: Scope): string {
  const [, around = '', named = ''] = /^((?:\*|\[\]|map\[[^\]]+\])*)(.*)$/.exec(goType) ?? []
  const [pkg = '', name = ''] = named.includes('.') ? named.split('.') : ['', named]
  const full = `${pkg ? (scope.imports[pkg] ?? pkg) : scope.prefix}.${name}`
  if (!aliases.has(full) && pkg !== 'types') return ''
  return `${around.replace(/^\*/, '').replace(/\[\w+\]/g, '[string]')}${pkg === 'types' ? pkg : 'v1'}.${name}`
}

function fieldTags(field: GoField, scope: Scope): string[] {
  const tagOf = (name: string) => new RegExp(`${name}:"([^"]*)"`).exec(field.tag)?.[1]
  const marked = (name: string) =>
    field.markers.filter((m) => m.startsWith(`${name}=`)).map((m) => m.slice(name.length + 1))
  const goName = goNameOf(field.goType, scope)
  const out = goName === '' ? [] : [`go:${goName}`]
  if (tagOf('patchStrategy')) out.push(`patch:${tagOf('patchStrategy')}`)
  if (tagOf('patchMergeKey')) out.push(`key:${tagOf('patchMergeKey')}`)
  if (marked('listType')[0]) out.push(`list:${marked('listType')[0]}`)
  if (marked('listMapKey').length > 0) out.push(`keys:${[...new Set(marked('listMapKey'))].join(',')}`)
  if (marked('mapType')[0] === 'atomic' || marked('structType')[0] === 'atomic') out.push('atomic')
  if (marked('default')[0]) out.push(`default:${marked('default')[0]}`)
  return out
}

/**
 * Struct whose fields JSON has among those of another. `around` is `@`, or `@1.` in protobuf, where it may be
 * a message of its own; `types` is such as `Rule`.
 */
interface Inlined {
  readonly around: string
  readonly types: string
}

function fieldsOf(
  name: string,
  reached: Set<string>,
  { around, types }: Inlined = { around: '@', types: '' },
): string[] {
  const prefix = name.split('.')[0] ?? ''
  const scope: Scope = { prefix, imports: prefix === 'core' ? { ...IMPORTS, v1: 'meta' } : IMPORTS }
  return (structs.get(name) ?? []).flatMap((field) => {
    const json = /json:"([^"]*)"/.exec(field.tag)?.[1] ?? ''
    const type = resolve(field.goType, scope)
    const number = protobufNumber(field, around)
    if (json === '-') return []
    if (json === '' || json.startsWith(',')) {
      const inner = type.slice(type.indexOf('.') + 1)
      return fieldsOf(type, reached, {
        around: number && `${number}.`,
        types: types === '' ? inner : `${types}.${inner}`,
      })
    }
    const target = type.replace(/^(\*|\[\]|\{\})+/, '')
    if (structs.has(target)) reached.add(target)
    const inlined = types === '' ? '' : `in:${types}`
    return [[flaggedName(json), type, number, inlined, ...fieldTags(field, scope)].filter(Boolean).join(' ')]
  })
}

/** Returns a field's number in protobuf, after those of messages that JSON inlines: `@7`, `@1.3`. */
function protobufNumber({ goType, tag }: GoField, around: string): string {
  const number = /protobuf:"\w+,(\d+)/.exec(tag)?.[1]
  if (around === '' || number === undefined) return ''
  return LISTS_WITH_MESSAGES.has(goType) ? `${around}${number}.1` : `${around}${number}`
}

function flaggedName(json: string): string {
  const [name = '', ...options] = json.split(',')
  return `${name}${options.includes('omitempty') ? '?' : ''}${options.includes('omitzero') ? '!' : ''}`
}

const [folder = '', version = ''] = process.argv.slice(2)
for (const [prefix, [module = '', ...files]] of Object.entries(PACKAGES)) {
  const reader = new PackageReader(prefix)
  for (const file of files) {
    const text = readFileSync(join(folder, `${module}@${version}`, file), 'utf8')
    for (const line of text.split('\n')) reader.line(line)
  }
}
const table: Record<string, string[]> = {}
const reached = new Set<string>(ROOTS)
for (const name of reached) {
  const atomic = structMarkers.get(name)?.includes('structType=atomic')
  table[name] = [...(atomic ? ['@atomic'] : []), ...fieldsOf(name, reached)]
}
const sorted = Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(new URL('./kubernetes.json', import.meta.url), `${JSON.stringify(sorted, null, 2)}\n`)
