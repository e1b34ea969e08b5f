import recorded from './parameters.json' with { type: 'json' }
import type { Route } from './routes/route.ts'

/** A parameter in the query or the path. */
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly type: string
  readonly description: string
  /** Under which name v2 documents have it once for all. */
  readonly shared?: string
  readonly required: boolean
}

const parameters: Readonly<Record<string, Omit<Parameter, 'name' | 'required'> | undefined>> = recorded

/** Returns every parameter that v2 documents share, by its name there. */
export function sharedParameters(): Map<string, Parameter> {
  const all = Object.keys(recorded).map((key) => parameterOf(key, undefined))
  return new Map(
    all.flatMap((parameter) => (parameter.shared ? [[parameter.shared, parameter] as const] : [])),
  )
}

/** Splits the parameters of routes: those that all of a path's routes take belong to the path. */
export function parametersOf(routes: readonly Route[]): {
  common: Parameter[]
  own: (route: Route) => Parameter[]
} {
  const [first, ...others] = routes
  const common = new Set(
    first?.parameters.filter((key) => others.every(({ parameters: keys }) => keys.includes(key))),
  )
  const resolve = (keys: readonly string[], named: string | undefined): Parameter[] =>
    keys.map((key) => parameterOf(key, named)).sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    common: resolve([...common], first?.named),
    own: ({ parameters: keys, named }) =>
      resolve(
        keys.filter((key) => !common.has(key)),
        named,
      ),
  }
}

function parameterOf(key: string, named: string | undefined): Parameter {
  if (key === 'name') {
    return {
      name: key,
      in: 'path',
      type: 'string',
      description: `name of the ${named ?? ''}`,
      required: true,
    }
  }
  const parameter = parameters[key]
  if (parameter === undefined) throw new Error(`failed to describe the parameter ${key}: it is not recorded`)
  const name = key.replace(/ of patches$/, '')
  return { name, ...parameter, required: parameter.in === 'path' }
}
