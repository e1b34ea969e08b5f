import { quoted } from '../../../kubernetes/index.ts'
import { CelError } from '../errors.ts'
import { type CelValue, Opaque } from '../values/index.ts'
import { type Library, overload, traversal } from './function.ts'

const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/

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

function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, prerelease] = VERSION.exec(text) ?? []
  if (major === undefined || minor === undefined || patch === undefined) return undefined
  return new Version([BigInt(major), BigInt(minor), BigInt(patch)], prerelease?.split('.') ?? [])
}

/** Takes a `v` in front away, adds numbers that are missing, and takes zeros in front of numbers away. */
function normalized(text: string): string {
  const [, head = '', rest = ''] = /^v?([^-+]*)(.*)$/s.exec(text) ?? []
  const numbers = head.split('.').map((part) => part.replace(/^0+(?=\d)/, ''))
  while (numbers.length < 3) numbers.push('0')
  return `${numbers.join('.')}${rest}`
}

function versionOf([text, normalize]: readonly CelValue[]): Version | undefined {
  return parseVersion(normalize === true ? normalized(text as string) : (text as string))
}

function semver(args: readonly CelValue[]): Version {
  const version = versionOf(args)
  if (!version) throw new CelError(problemOf(args[0] as string))
  return version
}

function problemOf(text: string): string {
  const [head = ''] = text.split(/[-+]/)
  const numbers = head.split('.')
  if (numbers.length < 3) return 'No Major.Minor.Patch elements found'
  const zero = numbers.findIndex((part) => /^0\d/.test(part))
  if (zero >= 0)
    return `${['Major', 'Minor', 'Patch'][zero]} number must not contain leading zeroes "${numbers[zero]}"`
  return `Invalid character(s) found in version ${quoted(text)}`
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
    (a as Version).numbers[index] ?? 0n

export const VERSIONS: Library = {
  semver: [
    overload(`(string) -> ${S}`, semver, traversal()),
    overload(`(string, bool) -> ${S}`, semver, traversal()),
  ],
  isSemver: [
    overload('(string) -> bool', (args) => versionOf(args) !== undefined, traversal()),
    overload('(string, bool) -> bool', (args) => versionOf(args) !== undefined, traversal()),
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
