import { idPrefix, tagOf, words } from './names.ts'
import { META, OBJECT_TYPES, type Route } from './route.ts'

interface Plain {
  readonly path: string
  readonly description: string
  readonly operationId: string
  readonly tag: string
  readonly schema: string
}

function route({ schema, ...plain }: Plain, types: readonly string[] = OBJECT_TYPES): Route {
  return {
    ...plain,
    method: 'get',
    parameters: [],
    consumes: types,
    produces: types,
    answers: [{ code: 200, schema }],
  }
}

/** The paths of no group, by the name of their document. */
export const ROOT_ROUTES: Readonly<Record<string, Route>> = {
  '.well-known/openid-configuration': withoutBody({
    path: '/.well-known/openid-configuration/',
    description: "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
    operationId: 'getServiceAccountIssuerOpenIDConfiguration',
    tag: 'WellKnown',
    schema: 'string',
  }),
  api: route({
    path: '/api/',
    description: 'get available API versions',
    operationId: 'getCoreAPIVersions',
    tag: 'core',
    schema: `${META}APIVersions`,
  }),
  apis: route({
    path: '/apis/',
    description: 'get available API versions',
    operationId: 'getAPIVersions',
    tag: 'apis',
    schema: `${META}APIGroupList`,
  }),
  'openid/v1/jwks': withoutBody(
    {
      path: '/openid/v1/jwks/',
      description:
        'get service account issuer OpenID JSON Web Key Set (contains public token verification keys)',
      operationId: 'getServiceAccountIssuerOpenIDKeyset',
      tag: 'openid',
      schema: 'string',
    },
    'application/jwk-set+json',
  ),
  version: route(
    {
      path: '/version/',
      description: 'get the version information for this server',
      operationId: 'getCodeVersion',
      tag: 'version',
      schema: 'io.k8s.apimachinery.pkg.version.Info',
    },
    ['application/json'],
  ),
}

function withoutBody(plain: Plain, type = 'application/json'): Route {
  const { consumes: _, ...rest } = route(plain, [type])
  return rest
}

/** Makes the route `/apis/GROUP/`. */
export function groupRoute(group: string): Route {
  return route({
    path: `/apis/${group}/`,
    description: 'get information of a group',
    operationId: `get${words(group.replace(/\.k8s\.io$/, ''), true)}APIGroup`,
    tag: tagOf(group, ''),
    schema: `${META}APIGroup`,
  })
}

/** Makes the route `/apis/GROUP/VERSION/`. */
export function groupVersionRoute(group: string, version: string): Route {
  return route({
    path: group === '' ? `/api/${version}/` : `/apis/${group}/${version}/`,
    description: 'get available resources',
    operationId: `get${idPrefix(group, version)}APIResources`,
    tag: tagOf(group, version),
    schema: `${META}APIResourceList`,
  })
}
