import { isExactly } from '../types/type.ts'
import { type Estimate, PER_CHARACTER, PER_PATTERN_CHARACTER, sizeOf } from './call.ts'
import { asSets, comparing, counting, flattening, reversing, slicing, sorting, sortingBy } from './lists.ts'
import { exactly, NOTHING, plus, scaled } from './range.ts'
import { finding, joining, ofArgument, ofTarget, reading, replacing, searching, splitting } from './texts.ts'

const ONE = exactly(1)
const one: Estimate = () => ({ cost: ONE })

/** Bytes of an address. */
const ADDRESS = { least: 4n, most: 16n }
/** Characters of the longest regular expression of a named format, and of its longest name. */
const LONGEST_FORMAT_PATTERN = 128
const LONGEST_FORMAT = 64n

/** Estimates comparisons of addresses, this many times; a text is read first. */
const addresses =
  (often: number, more = NOTHING): Estimate =>
  ({ args: [other], overload }) => {
    if (!other) return undefined
    const bytes = often === 2 ? plus(ADDRESS, ADDRESS) : ADDRESS
    const compared = plus(scaled(plus(ADDRESS, ADDRESS), PER_CHARACTER), more)
    const isText = overload.params[1]?.kind === 'primitive'
    const cost = often === 2 ? compared : plus(compared, scaled(bytes, PER_CHARACTER))
    return { cost: isText ? plus(cost, scaled(sizeOf(other), PER_CHARACTER)) : cost }
  }

/** Estimates an address from a text, or the one that a range has. */
const address: Estimate = (call) => (call.overload.isMember ? { cost: ONE } : reading()(call))

const validating: Estimate = ({ args: [text] }) =>
  text && {
    cost: scaled(scaled(sizeOf(text), PER_CHARACTER), LONGEST_FORMAT_PATTERN * PER_PATTERN_CHARACTER),
  }

const UNIT_EQUALITY = new Set(['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver'])

/** Estimates equality of opaque values. */
const equality: Estimate = ({ args: [a, b] }) => {
  if (a?.type.kind !== 'opaque' || !b || !isExactly(a.type, b.type)) return undefined
  const { name } = a.type
  if (UNIT_EQUALITY.has(name)) return { cost: ONE }
  if (name === 'kubernetes.NamedFormat')
    return { cost: scaled({ least: 1n, most: LONGEST_FORMAT }, PER_CHARACTER) }
  if (name === 'kubernetes.URL')
    return { cost: scaled({ least: 1n, most: b.size?.most ?? 1n }, PER_CHARACTER) }
  return undefined
}

const each = (names: readonly string[], estimate: Estimate): [string, Estimate][] =>
  names.map((name) => [name, estimate])

/** Functions with estimates in Kubernetes (`pkg/cel/library/cost.go`) or cel-go's extensions, by name. */
export const ESTIMATES: ReadonlyMap<string, Estimate> = new Map([
  ...each(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], searching),
  ...each(['url', 'jsonpatch.escapeKey'], ofArgument),
  ...each(['lowerAscii', 'upperAscii', 'substring', 'trim'], ofTarget),
  ...each(['find', 'findAll'], finding),
  ...each(['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'], reading()),
  ...each(['masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback'], one),
  ...each(['isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast', 'format.named'], one),
  ...each(['sign', 'asInteger', 'isInteger', 'asApproximateFloat', 'isGreaterThan', 'isLessThan'], one),
  ...each(['compareTo', 'add', 'sub', 'major', 'minor', 'patch'], one),
  ...each(['getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery'], one),
  ['replace', replacing],
  ['split', splitting],
  ['join', joining],
  ['ip', address],
  ['ip.isCanonical', reading(2)],
  ['containsIP', addresses(2)],
  ['containsCIDR', addresses(3, ONE)],
  ['validate', validating],
  ['_==_', equality],
  ['slice', slicing],
  ['lists.range', counting],
  ['reverse', reversing],
  ['flatten', flattening],
  ['distinct', comparing],
  ['sort', sorting],
  ['@sortByAssociatedKeys', sortingBy],
  ['sets.contains', asSets(1)],
  ['sets.intersects', asSets(1)],
  ['sets.equivalent', asSets(2)],
])
