import { expect, it } from 'vitest'
import { productFiles, textOf } from './product-files.ts'

/** Most members of options: more are types of their own, by subject. */
const LIMIT = 8

/** Those above the limit that are left. The list only shrinks. */
const LEFT = ['ExplainOptions', 'PlanOptions', 'SliceflowProps']

const INTERFACE = /^(?:export )?interface (\w+)(?:<.*?>)?(?:\s+extends ([^{]+))? \{\n([\s\S]*?)^\}/gm
const MEMBER = /^ {2}(?:readonly )?\w+\??[:(<]/gm

interface Declared {
  readonly name: string
  readonly file: string
  readonly own: number
  /** What stands after `extends`. */
  readonly bases: string
}

const declared: readonly Declared[] = productFiles.flatMap((file) =>
  [...textOf(file).matchAll(INTERFACE)].map(([, name = '', bases = '', body = '']) => ({
    ...{ name, bases, file },
    own: body.match(MEMBER)?.length ?? 0,
  })),
)

/** Counts the members of an interface with those of what it extends. */
function membersOf({ own, bases, file }: Declared): number {
  const named = (bases.match(/'\w+'/g) ?? []).length
  if (bases.startsWith('Pick<')) return own + named
  const inherited = (bases.match(/\b[A-Z]\w+/g) ?? []).map((name) => {
    const all = declared.filter((one) => one.name === name)
    const base = all.find((one) => one.file === file) ?? all[0]
    return base === undefined ? 0 : membersOf(base)
  })
  return inherited.reduce((sum, count) => sum + count, own) - (bases.includes('Omit<') ? named : 0)
}

it('no options have more than eight members, but for a list that shrinks', () => {
  const options = declared.filter(({ name }) => /(Options|Props)$/.test(name))
  expect(options.length).toBeGreaterThan(100)
  const large = options.filter((one) => membersOf(one) > LIMIT)
  expect(new Set(large.map(({ name }) => name))).toEqual(new Set(LEFT))
})
