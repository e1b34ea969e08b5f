import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { check } from 'recheck'
import { expect, it, vi } from 'vitest'
import { ROOT } from './installed.ts'
import { findPatterns, type Pattern } from './patterns.ts'

/** Sources of the relay, the functions and the command, without the embedded API server and what builds. */
const SOURCES = ['cli/**/*.ts', 'functions/**/*.ts', 'infra/**/*.ts', 'shared/**/*.ts', 'examples/**/*.ts']
const OTHERS =
  /\.(test|fixtures)\.ts$|^shared\/(control-plane|[^/]+\/(dist|test))\/|^infra\/(bundling|cdk\.out|packaging|reference)\//

/** Not linear, or of a kind that cannot be proven, but of texts that cannot be long. */
const BOUNDED: Readonly<Record<string, string>> = {
  [named('shared/endpointslice/slices/trigger-time.ts', /0+$/)]: 'reads at most nine digits',
  [named(
    'shared/endpointslice/sources/source.ts',
    /^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?\.?$/,
  )]: 'reads at most 253 characters',
}

/**
 * The limits of its size are for counted repetitions, such as `{1,512}`: above them it would guess rather
 * than prove.
 */
const PROVING = { checker: 'automaton', maxNFASize: 1_000_000, timeout: 120_000 } as const

function named(file: string, pattern: Pick<Pattern, 'source' | 'flags'>): string {
  return `${file} ${textOf(pattern)}`
}

function textOf({ source, flags }: Pick<Pattern, 'source' | 'flags'>): string {
  return `/${source}/${flags}`
}

/** A literal beginning: characters that stand for themselves, each once or a fixed number of times. */
const BEGINNING = /^\^(?:(?:[\w :<>="/!@-]|\\n)(?:\{\d+\})?)+(?![*+?{])/
/** The same of a pattern that may match anywhere. */
const FIRST_TEXT = /^(?:[\w :<>="/!@-])+([\w :<>="/!@-])(?![*+?{])/
/** Up to this number of times, a repetition is proven as it is. */
const FEW_TIMES = 10

/**
 * Returns a pattern that is quicker to prove, and takes no less time on any text: a literal beginning is left
 * out, as it is compared once, or has its last character alone, which stands in no fewer places. A counted
 * repetition of many has no upper limit.
 */
function relaxed(source: string): string {
  const rest = source.includes('|') ? source : source.replace(BEGINNING, '^').replace(FIRST_TEXT, '$1')
  return rest.replaceAll(/(?<!\\|\\u)\{(\d+)(?:,(\d*))?\}/g, (counted, least, most = least) => {
    if (most !== '' && Number(most) <= FEW_TIMES) return counted
    return least === '0' ? '*' : '+'
  })
}

/** What may go on for as long as the text does. */
const REPETITION = /[*+]|\{\d+,\}/

/** Resolves to why a pattern may take more than linear time; `undefined`: it is proven that it does not. */
async function problemOf({ source, flags }: Pick<Pattern, 'source' | 'flags'>): Promise<string | undefined> {
  if (!REPETITION.test(source)) return undefined
  if ((await check(relaxed(source), flags, PROVING)).status === 'safe') return undefined
  const proof = await check(source, flags, PROVING)
  if (proof.status === 'safe') return undefined
  if (proof.status === 'unknown') return `cannot be proven: ${proof.error.kind}`
  return `${proof.complexity.summary}, for example by ${proof.attack.pattern}`
}

/** Returns the patterns that a module makes while it is loaded, once its imports are loaded. */
async function madeBy(file: string): Promise<RegExp[]> {
  const url = join(ROOT, file)
  await import(url)
  const made: RegExp[] = []
  const construct = (target: typeof RegExp, args: [string, string?]): RegExp => {
    const pattern = new target(...args)
    made.push(pattern)
    return pattern
  }
  vi.stubGlobal('RegExp', new Proxy(RegExp, { construct }))
  await import(`${url}?patterns`)
  vi.unstubAllGlobals()
  return made
}

async function allPatterns(): Promise<Pattern[]> {
  const patterns: Pattern[] = []
  for await (const file of glob(SOURCES, { cwd: ROOT })) {
    if (OTHERS.test(file)) continue
    const { literals, made } = await findPatterns(file)
    patterns.push(...literals)
    if (made.length === 0) continue
    const known = await madeBy(file)
    expect(known.length, `${file}:${made[0]}: make it a constant of the module`).toBe(made.length)
    const line = made[0] ?? 1
    patterns.push(...known.map(({ source, flags }) => ({ file, line, source, flags })))
  }
  return patterns
}

it('no regular expression takes a time that grows faster than the text that it reads', {
  timeout: 400_000,
}, async () => {
  const patterns = await allPatterns()
  expect(patterns.length).toBeGreaterThan(100)
  const names = new Set(patterns.map((pattern) => named(pattern.file, pattern)))
  expect(Object.keys(BOUNDED).filter((name) => !names.has(name))).toEqual([])
  const unbounded = patterns.filter((pattern) => BOUNDED[named(pattern.file, pattern)] === undefined)
  const problems = []
  for (const same of Map.groupBy(unbounded, textOf).values()) {
    const problem = await problemOf(same[0] as Pattern)
    if (problem !== undefined) problems.push({ at: same.map(({ file, line }) => `${file}:${line}`), problem })
  }
  expect(problems).toEqual([])
})

it.each([
  ['^(a+)+$', /exponential/],
  ['\\s+$', /2nd degree polynomial/],
  ["^([\\s\\S]+?)\\['([\\s\\S]*)'\\]$", /2nd degree polynomial/],
  [',(?![^(]*\\))', /cannot be proven/],
])('reports /%s/', async (source, problem) => {
  expect(await problemOf({ source, flags: '' })).toMatch(problem)
})
