import {
  type JsonObject,
  type JsonValue,
  jsonText,
  parseJson,
} from '../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../apimachinery/json/values.ts'
import type { ResourceDefinition } from '../registry/definition/resource-definition.ts'
import { groupVersionsOf, rootRoutes, TITLE, TOKEN } from './documents.ts'
import { withFreeNames } from './renamed.ts'
import { groupVersionRoute } from './routes/discovery.ts'
import { resourceRoutes } from './routes/resource.ts'
import { isBuiltIn } from './routes/style.ts'
import { customSchemas } from './schemas/custom.ts'
import { recordedSchema, referencesIn } from './schemas/reached.ts'
import { parametersV2, pathsV2 } from './versions/v2.ts'

/** Texts by name, each with the names of the schemas that it refers to. */
type Parts = Map<string, { readonly text: string; readonly references: readonly string[] }>

/** Part of the document for one resource. */
interface Fragment {
  readonly paths: Parts
  readonly schemas: Parts
}

/**
 * Writes the v2 document, which has everything. The part of a resource is cached as text: of
 * thousands of custom resources one may change at a time.
 */
export class DocumentV2Writer {
  readonly #fragments = new WeakMap<ResourceDefinition, Fragment>()
  readonly #recorded: Parts = new Map()

  /**
   * @param others documents of other servers; what stands in ours already stays as it is, and other
   *   definitions of its names get others
   */
  write(definitions: readonly ResourceDefinition[], others: readonly JsonObject[]): string {
    const fragments = definitions.map((definition) => this.#fragmentOf(definition))
    const paths: Parts = new Map([...rootPaths(definitions), ...fragments.flatMap((each) => [...each.paths])])
    const custom: Parts = new Map(fragments.flatMap(({ schemas }) => [...schemas]))
    const schemas = this.#reached(paths, custom, definitions)
    const parameters = partsOf(parametersV2())
    for (const document of others) {
      const other = withFreeNames(document, (name) => definitionIn(schemas, name))
      addMissing(paths, other.paths)
      addMissing(schemas, other.definitions)
      addMissing(parameters, other.parameters)
    }
    const start = JSON.stringify({ swagger: '2.0', info: TITLE }).slice(0, -1)
    const end = JSON.stringify({ securityDefinitions: TOKEN, security: [{ BearerToken: [] }] }).slice(1)
    const middle = [
      `"paths":${written(paths)}`,
      `"definitions":${written(schemas)}`,
      `"parameters":${written(parameters)}`,
    ]
    return [start, ...middle, end].join(',')
  }

  #fragmentOf(definition: ResourceDefinition): Fragment {
    const known = this.#fragments.get(definition)
    if (known) return known
    const fragment = {
      paths: partsOf(pathsV2(resourceRoutes(definition))),
      schemas: isBuiltIn(definition)
        ? new Map()
        : partsOf(Object.fromEntries(customSchemas(definition, 'v2'))),
    }
    this.#fragments.set(definition, fragment)
    return fragment
  }

  /** Collects all schemas to which paths, and in turn schemas, refer. */
  #reached(paths: Parts, custom: Parts, definitions: readonly ResourceDefinition[]): Parts {
    const groupVersions = groupVersionsOf(definitions).filter(({ group }) => group !== '')
    const reached: Parts = new Map()
    const waiting = [...paths.values()].flatMap(({ references }) => references)
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (reached.has(name)) continue
      const part =
        custom.get(name) ?? this.#recorded.get(name) ?? partOf(recordedSchema(name, 'v2', groupVersions))
      if (part === undefined) continue
      if (!custom.has(name)) this.#recorded.set(name, part)
      reached.set(name, part)
      waiting.push(...part.references)
    }
    return reached
  }
}

function rootPaths(definitions: readonly ResourceDefinition[]): Parts {
  const groupVersions = groupVersionsOf(definitions)
  const routes = groupVersions.map(({ group, version }) => groupVersionRoute(group, version))
  return partsOf(pathsV2([...rootRoutes(definitions).values(), ...routes]))
}

function definitionIn(schemas: Parts, name: string): JsonValue | undefined {
  const text = schemas.get(name)?.text
  return text === undefined ? undefined : parseJson(text)
}

function partsOf(members: JsonObject): Parts {
  const parts: Parts = new Map()
  addMissing(parts, members)
  return parts
}

function addMissing(parts: Parts, members: JsonValue | undefined): void {
  for (const [name, member] of Object.entries(isObject(members) ? members : {})) {
    const part = parts.has(name) ? undefined : partOf(member)
    if (part) parts.set(name, part)
  }
}

function partOf(value: JsonValue | undefined) {
  if (value === undefined) return undefined
  return { text: jsonText(value), references: [...new Set(referencesIn(value))] }
}

/** Writes an object of these members, sorted. */
function written(parts: Parts): string {
  const sorted = [...parts].sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([name, { text }]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
}
