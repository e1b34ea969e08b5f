import { quoted } from '../../../kubernetes/index.ts'
import { CelError } from '../errors.ts'
import { type CelValue, Opaque } from '../values/value.ts'
import { type Library, overload, traversal } from './function.ts'

/** A version of semver.org. */
class Version extends Opaque {
  override readonly typeName = 'kubernetes.Semver'
  readonly numbers: readonly bigint[]
  readonly prerelease: readonly string[]

  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    super()
    this.numbers = numbers
    this.prerelease = prerelease
  }

  override equals(other: Opaque): boolean {
    return other instanceof Version && order(this, other) === 0
  }
}

const DIGITS = /^\d*$/
const MOST = 2n ** 64n - 1n

/** Parses a number as Go's `ParseUint` does. */
function numberOf(text: string): bigint {
  const value = text === '' ? -1n : BigInt(text)
  if (value >= 0n && value <= MOST) return value
  const why = value < 0n ? 'invalid syntax' : 'value out of range'
  throw new CelError(`strconv.ParseUint: parsing ${quoted(text)}: ${why}`)
}

function partOf(text: string, name: string): bigint {
  if (!DIGITS.test(text))
    throw new CelError(`Invalid character(s) found in ${name.toLowerCase()} number ${quoted(text)}`)
  if (/^0./.test(text)) throw new CelError(`${name} number must not contain leading zeroes ${quoted(text)}`)
  return numberOf(text)
}

function checkPrerelease(text: string): void {
  if (text === '') throw new CelError('Prerelease is empty')
  if (DIGITS.test(text)) {
    if (/^0./.test(text))
      throw new CelError(`Numeric PreRelease version must not contain leading zeroes ${quoted(text)}`)
    numberOf(text)
  } else checkCharacters(text, 'prerelease')
}

function checkBuild(text: string): void {
  if (text === '') throw new CelError('Build meta data is empty')
  checkCharacters(text, 'build meta data')
}

function checkCharacters(text: string, what: string): void {
  if (!/^[0-9A-Za-z-]+$/.test(text))
    throw new CelError(`Invalid character(s) found in ${what} ${quoted(text)}`)
}

/** Splits a text into at most three parts: what follows the second dot is the last one. */
function partsOf(text: string): string[] {
  const [major = '', minor, ...rest] = text.split('.')
  return [major, ...(minor === undefined ? [] : [minor]), ...(rest.length > 0 ? [rest.join('.')] : [])]
}

/** Throws CelError with the words of upstream's library (blang/semver). */
function parseVersion(text: string): Version {
  if (text === '') throw new CelError('Version string empty')
  const [major = '', minor = '', last] = partsOf(text)
  if (last === undefined) throw new CelError('No Major.Minor.Patch elements found')
  const numbers = [partOf(major, 'Major'), partOf(minor, 'Minor')]
  const [, patch = '', prerelease, build] = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(last) ?? []
  numbers.push(partOf(patch, 'Patch'))
  const identifiers = prerelease?.split('.') ?? []
  identifiers.forEach(checkPrerelease)
  build?.split('.').forEach(checkBuild)
  return new Version(numbers, identifiers)
}

/** Takes a `v` in front away, adds numbers that are missing, and takes zeros in front of numbers away. */
function normalized(text: string): string {
  const parts = partsOf(text.replace(/^v/, '')).map((part) =>
    part.length > 1 ? part.replace(/^0*/, '').replace(/^(?!\d)/, '0') : part,
  )
  if (parts.length < 3 && /[-+]/.test(parts.at(-1) ?? ''))
    throw new CelError('short version cannot contain PreRelease/Build meta data')
  while (parts.length < 3) parts.push('0')
  return parts.join('.')
}

function semver([text, normalize]: readonly CelValue[]): Version {
  return parseVersion(normalize === true ? normalized(text as string) : (text as string))
}

function isSemver(args: readonly CelValue[]): boolean {
  try {
    semver(args)
    return true
  } catch (error) {
    if (error instanceof CelError) return false
    throw error
  }
}

function order(a: Version, b: Version): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n
    if (number !== other) return number > other ? 1 : -1
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(b.prerelease.length - a.prerelease.length)
  return orderOfParts(a.prerelease, b.prerelease)
}

function orderOfParts(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    if (part !== other) return orderOfPart(part, other)
  }
  return Math.sign(a.length - b.length)
}

/** Numbers come before words. */
function orderOfPart(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (left && right) return BigInt(a) > BigInt(b) ? 1 : -1
  if (left !== right) return left ? -1 : 1
  return a > b ? 1 : -1
}

const S = 'kubernetes.Semver'
const compared =
  (holds: (order: number) => CelValue) =>
  ([a, b]: readonly CelValue[]): CelValue =>
    holds(order(a as Version, b as Version))
const part =
  (index: number) =>
  ([a]: readonly CelValue[]): CelValue =>
    // Upstream makes a signed number of it, whatever its size.
    BigInt.asIntN(64, (a as Version).numbers[index] ?? 0n)

export const VERSIONS: Library = {
  semver: [
    overload(`(string) -> ${S}`, semver, traversal()),
    overload(`(string, bool) -> ${S}`, semver, traversal()),
  ],
  isSemver: [
    overload('(string) -> bool', isSemver, traversal()),
    overload('(string, bool) -> bool', isSemver, traversal()),
  ],
  isGreaterThan: [
    overload(
      `${S}.(${S}) -> bool`,
      compared((order) => order > 0),
    ),
  ],
  isLessThan: [
    overload(
      `${S}.(${S}) -> bool`,
      compared((order) => order < 0),
    ),
  ],
  compareTo: [
    overload(
      `${S}.(${S}) -> int`,
      compared((order) => BigInt(order)),
    ),
  ],
  major: [overload(`${S}.() -> int`, part(0))],
  minor: [overload(`${S}.() -> int`, part(1))],
  patch: [overload(`${S}.() -> int`, part(2))],
}
