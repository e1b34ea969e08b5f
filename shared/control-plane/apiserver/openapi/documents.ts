import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { ResourceDefinition } from '../registry/definition/resource-definition.ts'
import { groupRoute, groupVersionRoute, ROOT_ROUTES } from './routes/discovery.ts'
import { resourceRoutes } from './routes/resource.ts'
import type { Route } from './routes/route.ts'
import { isBuiltIn } from './routes/style.ts'
import { customSchemas } from './schemas/custom.ts'
import { type GroupVersions, reachedSchemas } from './schemas/reached.ts'
import { pathsV3 } from './versions/v3.ts'

/** Title of the documents of built-in resources. */
export const TITLE = { title: 'Kubernetes', version: '1.36' }
const CUSTOM_TITLE = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }
/** Authentication of requests. */
export const TOKEN: JsonObject = {
  BearerToken: {
    type: 'apiKey',
    description: 'Bearer Token authentication',
    name: 'authorization',
    in: 'header',
  },
}

/** Makes the v3 document of a group-version. */
export function groupVersionDocument(definitions: readonly ResourceDefinition[]): JsonObject {
  const builtIn = groupVersionsOf(definitions)
  return builtIn.length === 0 ? customDocument(definitions) : documentV3(routesOf(definitions), definitions)
}

/** Makes the v3 document of a path that belongs to no group-version. */
export function rootDocument(
  name: string,
  definitions: readonly ResourceDefinition[],
): JsonObject | undefined {
  const route = rootRoutes(definitions).get(name)
  return route && documentV3([route], [])
}

/** Returns the names of the v3 documents outside of any group-version. */
export function rootNames(definitions: readonly ResourceDefinition[]): string[] {
  return [...rootRoutes(definitions).keys()]
}

function documentV3(routes: readonly Route[], definitions: readonly ResourceDefinition[]): JsonObject {
  const paths = pathsV3(routes)
  const schemas = schemasOf(paths, definitions)
  return {
    openapi: '3.0.0',
    info: TITLE,
    paths,
    components: { ...(Object.keys(schemas).length > 0 ? { schemas } : {}), securitySchemes: TOKEN },
  }
}

function customDocument(definitions: readonly ResourceDefinition[]): JsonObject {
  const paths = pathsV3(routesOf(definitions))
  return {
    openapi: '3.0.0',
    info: CUSTOM_TITLE,
    paths,
    components: { schemas: schemasOf(paths, definitions) },
  }
}

function routesOf(definitions: readonly ResourceDefinition[]): Route[] {
  const roots = groupVersionsOf(definitions).map(({ group, version }) => groupVersionRoute(group, version))
  return [...roots, ...definitions.flatMap(resourceRoutes)]
}

/** Returns routes outside of group-versions, by document. Groups of custom resources have none. */
export function rootRoutes(definitions: readonly ResourceDefinition[]): Map<string, Route> {
  const groups = new Set(groupVersionsOf(definitions).map(({ group }) => group))
  groups.delete('')
  return new Map([
    ...Object.entries(ROOT_ROUTES),
    ...[...groups].map((group) => [`apis/${group}`, groupRoute(group)] as const),
  ])
}

function schemasOf(paths: JsonObject, definitions: readonly ResourceDefinition[]): JsonObject {
  const custom = definitions.filter((definition) => !isBuiltIn(definition))
  const schemas = new Map(custom.flatMap((definition) => customSchemas(definition, 'v3')))
  const groupVersions = groupVersionsOf(definitions).filter(({ group }) => group !== '')
  return reachedSchemas(paths, schemas, groupVersions)
}

/** Returns the group-versions of the built-in resources, sorted. */
export function groupVersionsOf(definitions: readonly ResourceDefinition[]): GroupVersions {
  const builtIn = definitions.filter(isBuiltIn)
  const all = new Map(builtIn.map(({ group, version }) => [`${group}/${version}`, { group, version }]))
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, groupVersion]) => groupVersion)
}
