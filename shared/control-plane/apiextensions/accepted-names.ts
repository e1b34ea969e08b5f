import { quoted } from '../../kubernetes/index.ts'
import { conditionOf } from '../apimachinery/conditions.ts'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { sameJson } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { type Condition, isTrue, type Names, namesAt, specOf, statusOf, withCondition } from './crd.ts'

/** Returns the definition with the names that others of its group leave it (upstream's naming controller). */
export function withAcceptedNames(crd: KubeObject, others: readonly KubeObject[], now: number): KubeObject {
  const taken = others
    .filter((other) => specOf(other).group === specOf(crd).group)
    .map((other) => namesAt(statusOf(other), 'acceptedNames'))
  const { names, refusal } = accept(
    namesAt(specOf(crd), 'names'),
    namesAt(statusOf(crd), 'acceptedNames'),
    taken,
  )
  const condition: Condition = refusal ?? {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  }
  const renamed = { ...crd, status: { ...statusOf(crd), acceptedNames: namesToJson(names) } }
  const conditioned = withCondition(renamed, condition, now)
  if (isTrue(crd, 'Established')) return conditioned
  return withCondition(conditioned, refusal ? NOT_ACCEPTED : INSTALLING, now)
}

const NOT_ACCEPTED: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
}
const INSTALLING: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'Installing',
  message: 'the initial names have been accepted',
}

/** Reports whether the accepted names are those that are wanted, and the conditions say so. */
export function namesAreSettled(crd: KubeObject): boolean {
  const wanted = namesAt(specOf(crd), 'names')
  return (
    conditionOf(crd, 'NamesAccepted') !== undefined &&
    sameJson(namesToJson(wanted), namesToJson(namesAt(statusOf(crd), 'acceptedNames')))
  )
}

interface Verdict {
  readonly names: Names
  readonly refusal: Condition | undefined
}

function accept(wanted: Names, accepted: Names, taken: readonly Names[]): Verdict {
  const resources = new Set(
    taken.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]),
  )
  const kinds = new Set(taken.flatMap(({ kind, listKind }) => [kind, listKind]))
  const conflicts: Condition[] = []
  const choose = (member: 'plural' | 'singular' | 'kind' | 'listKind', used: ReadonlySet<string>): string => {
    const name = wanted[member]
    if (name === accepted[member] || !used.has(name)) return name
    conflicts.push(conflict(member, inUse(name)))
    return accepted[member]
  }
  const plural = choose('plural', resources)
  const singular = choose('singular', resources)
  const used = wanted.shortNames.filter((name) => !accepted.shortNames.includes(name) && resources.has(name))
  if (used.length > 0) conflicts.push(conflict('shortNames', aggregate(used.map(inUse))))
  const kind = choose('kind', kinds)
  const listKind = choose('listKind', kinds)
  return {
    names: {
      plural,
      singular,
      shortNames: used.length > 0 ? accepted.shortNames : wanted.shortNames,
      kind,
      listKind,
      categories: wanted.categories,
    },
    // The condition names the last conflict found.
    refusal: conflicts.at(-1),
  }
}

const inUse = (name: string): string => `${quoted(name)} is already in use`

const aggregate = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`

function conflict(member: string, message: string): Condition {
  const reason = `${member[0]?.toUpperCase()}${member.slice(1)}Conflict`
  return { type: 'NamesAccepted', status: 'False', reason, message }
}

function namesToJson({ plural, singular, shortNames, kind, listKind, categories }: Names): JsonObject {
  return {
    plural,
    ...(singular === '' ? {} : { singular }),
    ...(shortNames.length > 0 ? { shortNames: [...shortNames] } : {}),
    kind,
    ...(listKind === '' ? {} : { listKind }),
    ...(categories.length > 0 ? { categories: [...categories] } : {}),
  }
}
