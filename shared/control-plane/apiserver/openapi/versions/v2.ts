import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { type Parameter, parametersOf, sharedParameters } from '../parameters.ts'
import { byPath } from '../routes/names.ts'
import { META, type Route } from '../routes/route.ts'
import { DESCRIPTIONS } from './v3.ts'

const PREFIX = '#/definitions/'
/** Bodies that every resource takes; their names are those of the real server. */
const SHARED_BODIES: Readonly<Record<string, { readonly shared: string; readonly required: boolean }>> = {
  [`${META}DeleteOptions`]: { shared: 'body-2Y1dVQaQ', required: false },
  [`${META}Patch`]: { shared: 'body-78PwaGsr', required: true },
}

/** Returns the paths of an OpenAPI v2 document. */
export function pathsV2(routes: readonly Route[]): JsonObject {
  const items = [...byPath(routes)].map(([path, group]) => {
    const { common, own } = parametersOf(group)
    const operations = group.map((route) => [route.method, operation(route, own(route))])
    const item: JsonObject = Object.fromEntries(operations)
    if (common.length > 0) item.parameters = common.map(referenceOrParameter)
    return [path, item]
  })
  return Object.fromEntries(items)
}

/** Returns the parameters to which paths refer. */
export function parametersV2(): JsonObject {
  const bodies = Object.entries(SHARED_BODIES).map(([schema, { shared, required }]): [string, JsonObject] => [
    shared,
    bodyParameter(schema, required),
  ])
  const others = [...sharedParameters()].map(([shared, parameter]): [string, JsonObject] => [
    shared,
    parameterV2(parameter),
  ])
  return Object.fromEntries([...bodies, ...others].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function operation(route: Route, parameters: readonly Parameter[]): JsonObject {
  const { tag, description, operationId, consumes, produces, action, kind, answers } = route
  const taken = [...parameters.map((parameter) => [parameter.name, referenceOrParameter(parameter)] as const)]
  if (route.body) taken.push(['body', bodyOf(route.body)])
  taken.sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    description,
    ...(consumes === undefined ? {} : { consumes: [...consumes] }),
    produces: [...produces],
    schemes: ['https'],
    tags: [tag],
    operationId,
    ...(taken.length > 0 ? { parameters: taken.map(([, parameter]) => parameter) } : {}),
    responses: {
      ...Object.fromEntries(
        answers.map(({ code, schema }) => [
          code,
          { description: DESCRIPTIONS[code], schema: reference(schema) },
        ]),
      ),
      401: { description: 'Unauthorized' },
    },
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind && {
      'x-kubernetes-group-version-kind': { group: kind.group, kind: kind.kind, version: kind.version },
    }),
  }
}

function bodyOf({ schema, required }: NonNullable<Route['body']>): JsonObject {
  const known = SHARED_BODIES[schema]
  return known ? { $ref: `#/parameters/${known.shared}` } : bodyParameter(schema, required)
}

function bodyParameter(schema: string, required: boolean): JsonObject {
  return { name: 'body', in: 'body', ...(required ? { required } : {}), schema: reference(schema) }
}

function referenceOrParameter(parameter: Parameter): JsonObject {
  return parameter.shared === undefined
    ? parameterV2(parameter)
    : { $ref: `#/parameters/${parameter.shared}` }
}

function parameterV2({ name, in: place, type, description, required }: Parameter): JsonObject {
  return { uniqueItems: true, type, description, name, in: place, ...(required ? { required } : {}) }
}

function reference(schema: string): JsonObject {
  return schema === 'string' ? { type: 'string' } : { $ref: `${PREFIX}${schema}` }
}
