import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { type Parameter, parametersOf } from '../parameters.ts'
import { byPath } from '../routes/names.ts'
import type { Route } from '../routes/route.ts'

const PREFIX = '#/components/schemas/'

/** Returns the paths of an OpenAPI v3 document. */
export function pathsV3(routes: readonly Route[]): JsonObject {
  const items = [...byPath(routes)].map(([path, group]) => {
    const { common, own } = parametersOf(group)
    const operations = group.map((route) => [route.method, operation(route, own(route))])
    const item: JsonObject = Object.fromEntries(operations)
    if (common.length > 0) item.parameters = common.map(parameterV3)
    return [path, item]
  })
  return Object.fromEntries(items)
}

function operation(route: Route, parameters: readonly Parameter[]): JsonObject {
  const { tag, description, operationId, action, kind, answers, produces } = route
  return {
    tags: [tag],
    description,
    operationId,
    ...(parameters.length > 0 ? { parameters: parameters.map(parameterV3) } : {}),
    ...bodyOf(route),
    responses: {
      ...Object.fromEntries(
        answers.map(({ code, schema }) => [
          code,
          { description: DESCRIPTIONS[code], content: contentOf(produces, schema) },
        ]),
      ),
      401: { description: 'Unauthorized' },
    },
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind === undefined ? {} : { 'x-kubernetes-group-version-kind': { ...kind } }),
  }
}

/** The words for the codes of success. */
export const DESCRIPTIONS = { 200: 'OK', 201: 'Created', 202: 'Accepted' } as const

function bodyOf({ body, consumes = [] }: Route): JsonObject {
  if (body === undefined) return {}
  const content = contentOf(consumes, body.schema)
  return { requestBody: { content, ...(body.required ? { required: true } : {}) } }
}

function contentOf(types: readonly string[], schema: string): JsonObject {
  const described = schema === 'string' ? { type: 'string' } : { $ref: `${PREFIX}${schema}` }
  return Object.fromEntries([...types].sort().map((type) => [type, { schema: described }]))
}

function parameterV3({ name, in: place, type, description, required }: Parameter): JsonObject {
  return {
    name,
    in: place,
    description,
    ...(required ? { required } : {}),
    schema: { type, uniqueItems: true },
  }
}
