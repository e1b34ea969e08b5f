import type { Schema } from './schema.ts'

/** Members of a path: `.name`, or `['name']` with a backslash before quotes. */
const STEP = /\.([^.[\]'\s]+)|\['((?:[^'\\]|\\.)*)'\]/g

/**
 * Returns a rule's path, such as `.spec.replicas` or `.spec['a.b']`, as field errors write it:
 * `spec.replicas`, `labels[app]` for a member of a map. Undefined if the schema does not declare it.
 */
export function fieldPathOf(schema: Schema, path: string): string | undefined {
  const steps = [...path.matchAll(STEP)]
  if (steps.map(([text]) => text).join('') !== path) return undefined
  let at: Place | undefined = { schema, path: '' }
  for (const [, plain, quoted = ''] of steps) at = at && below(at, plain ?? quoted.replace(/\\(.)/g, '$1'))
  return at?.path
}

interface Place {
  readonly schema: Schema
  readonly path: string
}

function below({ schema, path }: Place, name: string): Place | undefined {
  const { properties, additional } = schema
  if (properties.size === 0) {
    return additional && additional !== 'any' ? { schema: additional, path: `${path}[${name}]` } : undefined
  }
  const property = properties.get(name)
  return property && { schema: property, path: path === '' ? name : `${path}.${name}` }
}
