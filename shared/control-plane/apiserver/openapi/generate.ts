/**
 * Writes what is recorded of a kube-apiserver. `schemas/recorded.json`: the OpenAPI v3 schemas of every Go
 * struct that the schema table has, of the lists of those that are kinds, and of what all APIs share, without
 * the groups that DeleteOptions and WatchEvent are registered with. `parameters.json`: the parameters that
 * requests of every API have. Run it again when the table or the Kubernetes version moves: `node generate.ts
 * FOLDER`, a folder with its answers: `openapi-v2.json`, and a file each in `openapi-v3`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import table from '../schema/kubernetes.json' with { type: 'json' }

const PREFIX = '#/components/schemas/'
const PACKAGE_NAMES: Readonly<Record<string, string>> = {
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
}
/** Kinds that the groups of all resources have. */
const SHARED = new Set(['DeleteOptions', 'WatchEvent'])
const COMMON_PARAMETERS = new Set(
  [
    'allowWatchBookmarks continue fieldManager fieldSelector force gracePeriodSeconds labelSelector limit namespace orphanDependents',
    'ignoreStoreReadErrorWithClusterBreakingPotential pretty propagationPolicy resourceVersion resourceVersionMatch',
    'sendInitialEvents shardSelector timeoutSeconds watch',
  ].flatMap((names) => names.split(' ')),
)

interface Schema {
  'x-kubernetes-group-version-kind'?: { group: string; kind: string }[]
}

const [folder = ''] = process.argv.slice(2)
const all = new Map<string, Schema>()
for (const file of readdirSync(join(folder, 'openapi-v3'))) {
  const { components } = JSON.parse(readFileSync(join(folder, 'openapi-v3', file), 'utf8'))
  for (const [name, schema] of Object.entries<Schema>(components?.schemas ?? {})) all.set(name, schema)
}
const reached = new Map<string, Schema>()
function reach(name: string): void {
  const schema = all.get(name)
  if (schema === undefined || reached.has(name)) return
  reached.set(name, schema)
  for (const [, reference = ''] of JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)) {
    reach(reference.slice(PREFIX.length))
  }
}
for (const struct of Object.keys(table)) {
  const [pkg = '', type] = struct.split('.')
  const name = `${PACKAGE_NAMES[pkg] ?? `io.k8s.api.${pkg}.v1`}.${type}`
  reach(name)
  if (all.get(name)?.['x-kubernetes-group-version-kind'] !== undefined) reach(`${name}List`)
}
for (const name of all.keys()) if (name.startsWith('io.k8s.apimachinery.')) reach(name)
reach('io.k8s.api.autoscaling.v1.Scale')
for (const schema of reached.values()) {
  const kinds = schema['x-kubernetes-group-version-kind']
  if (kinds?.some(({ kind }) => SHARED.has(kind))) {
    schema['x-kubernetes-group-version-kind'] = kinds.filter(({ group }) => group === '')
  }
}
write('schemas/recorded.json', reached)

interface Parameter {
  name: string
  in: string
  type: string
  description: string
}
const document = JSON.parse(readFileSync(join(folder, 'openapi-v2.json'), 'utf8'))
const parameters = new Map<string, object>()
for (const [shared, parameter] of Object.entries<Parameter>(document.parameters)) {
  const { name, in: place, type, description } = parameter
  if (!COMMON_PARAMETERS.has(name)) continue
  const key = description.includes('required for apply requests') ? 'fieldManager of patches' : name
  parameters.set(key, { shared, in: place, type, description })
}
const creation: { parameters: Parameter[] } = document.paths['/api/v1/namespaces'].post
for (const { name, in: place, type, description } of creation.parameters) {
  // Of these v2 documents have a copy in every operation.
  if (name === 'dryRun' || name === 'fieldValidation') parameters.set(name, { in: place, type, description })
}
write('parameters.json', parameters)

function write(file: string, entries: ReadonlyMap<string, object>): void {
  const sorted = Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(new URL(file, import.meta.url), `${JSON.stringify(sorted, null, 1)}\n`)
}
