/** Names that CEL has for itself, and those that Kubernetes escapes with them. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/
const ESCAPES: Readonly<Record<string, string>> = {
  underscores: '__',
  dot: '.',
  dash: '-',
  slash: '/',
}

/** Returns the name by which expressions know a property; undefined if it cannot be named. */
export function celName(property: string): string | undefined {
  if (RESERVED.has(property)) return `__${property}__`
  const escaped = property
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__')
  return IDENTIFIER.test(escaped) ? escaped : undefined
}

/** Returns the property that an expression means by a name. */
export function propertyName(name: string): string {
  const reserved = /^__([a-z]+)__$/.exec(name)?.[1]
  if (reserved !== undefined && RESERVED.has(reserved)) return reserved
  return name.replace(/__(underscores|dot|dash|slash)__/g, (whole, what: string) => ESCAPES[what] ?? whole)
}
