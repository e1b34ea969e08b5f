import type { ClusterSetMember } from '../../cluster-sets/index.ts'
import {
  type ApiClient,
  EXPRESSION_OPERATORS,
  firstServed,
  KubernetesError,
  type LabelRequirement,
  matchesLabels,
  quoted,
  selectorFromExpressions,
  subdomainName,
} from '../../kubernetes/index.ts'
import { isRecord } from '../../values/index.ts'
import { isAbsent } from '../faults.ts'
import {
  ABOUT_VERSIONS,
  type ClusterSelector,
  clusterProperties,
  MAX_REQUIREMENTS,
  MAX_SELECTORS,
  type PropertyExpression,
} from '../resources.ts'

export type Properties = Readonly<Record<string, string>>

/** Stands in a selector for the value that the importing cluster has (KEP-5939). */
const SAME_AS_IMPORTER = '@SameAsImporter@'
const MAX_VALUE_LENGTH = 1024
/** Characters of a sent value that a message shows at most. */
const MAX_SHOWN = 80

const OPERATORS = Object.keys(EXPRESSION_OPERATORS) as PropertyExpression['operator'][]

/** A value that cannot be used as the selectors of an export; the message says where and why. */
class SelectorFault extends Error {}

/**
 * Reads `spec.clusterSelectors` of an export, as a cluster sent it.
 * @returns what is wrong with it, in words, where it cannot be used; undefined where there are none
 */
export function readClusterSelectors(value: unknown): readonly ClusterSelector[] | string | undefined {
  if (isAbsent(value)) return undefined
  try {
    const list = listIn(value, 'clusterSelectors', MAX_SELECTORS)
    return list.length === 0
      ? undefined
      : list.map((each, at) => readSelector(each, `clusterSelectors[${at}]`))
  } catch (error) {
    if (error instanceof SelectorFault) return error.message
    throw error
  }
}

function readSelector(value: unknown, path: string): ClusterSelector {
  const { propertySelector, ...others } = fieldsIn(value, path)
  const [other] = Object.keys(others)
  if (other !== undefined) fail(path, `${shown(other)} is not propertySelector, the one criterion there is`)
  const at = `${path}.propertySelector`
  const { matchProperties, matchExpressions } = fieldsIn(propertySelector, at)
  const pairs = isAbsent(matchProperties) ? {} : fieldsIn(matchProperties, `${at}.matchProperties`)
  const expressions = isAbsent(matchExpressions)
    ? []
    : listIn(matchExpressions, `${at}.matchExpressions`, MAX_REQUIREMENTS)
  const names = Object.keys(pairs)
  if (names.length + expressions.length === 0) fail(at, 'has neither matchProperties nor matchExpressions')
  if (names.length > MAX_REQUIREMENTS)
    fail(`${at}.matchProperties`, `has more than ${MAX_REQUIREMENTS} of them`)
  const read = names.map((key) => {
    const of = `${at}.matchProperties[${shown(key)}]`
    return [keyIn(key, of), valueIn(pairs[key], of)] as const
  })
  return {
    propertySelector: {
      ...(names.length > 0 && { matchProperties: Object.fromEntries(read) }),
      ...(expressions.length > 0 && {
        matchExpressions: expressions.map((each, index) =>
          readExpression(each, `${at}.matchExpressions[${index}]`),
        ),
      }),
    },
  }
}

function readExpression(value: unknown, path: string): PropertyExpression {
  const { key, operator, values } = fieldsIn(value, path)
  const known = OPERATORS.find((each) => each === operator)
  if (known === undefined) fail(`${path}.operator`, `is not one of ${OPERATORS.join(', ')}`)
  const list = isAbsent(values) ? [] : listIn(values, `${path}.values`, MAX_REQUIREMENTS)
  const needsValues = known === 'In' || known === 'NotIn'
  if (needsValues && list.length === 0) fail(`${path}.values`, `must not be empty for ${known}`)
  if (!needsValues && list.length > 0) fail(`${path}.values`, `must be empty for ${known}`)
  return {
    key: keyIn(key, `${path}.key`),
    operator: known,
    ...(needsValues && { values: list.map((each, at) => valueIn(each, `${path}.values[${at}]`)) }),
  }
}

function fail(path: string, problem: string): never {
  throw new SelectorFault(`${path} ${problem}`)
}

const shown = (text: string): string => quoted(text.slice(0, MAX_SHOWN))

const fieldsIn = (value: unknown, path: string): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : fail(path, 'is not an object')

function listIn(value: unknown, path: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) return fail(path, 'is not a list')
  return value.length > most ? fail(path, `has more than ${most} items`) : value
}

/** A key is the name of a ClusterProperty. */
const keyIn = (key: unknown, path: string): string =>
  typeof key === 'string' && subdomainName(key).length === 0
    ? key
    : fail(path, 'is not the name of a ClusterProperty (lower case letters, digits, "-" and ".")')

/** A value may be any text: properties are no labels. */
const valueIn = (value: unknown, path: string): string =>
  typeof value === 'string' && value.length <= MAX_VALUE_LENGTH
    ? value
    : fail(path, `is not a text of up to ${MAX_VALUE_LENGTH} characters`)

/** Lists the properties that selectors read. */
export const selectedKeys = (selectors: readonly ClusterSelector[]): ReadonlySet<string> =>
  new Set(
    selectors.flatMap(({ propertySelector: { matchProperties = {}, matchExpressions = [] } }) => [
      ...Object.keys(matchProperties),
      ...matchExpressions.map(({ key }) => key),
    ]),
  )

/** Puts the importing cluster's values where a selector asks for them; those that it lacks stay open. */
export const resolveSelectors = (
  selectors: readonly ClusterSelector[],
  importer: Properties,
): ClusterSelector[] =>
  selectors.map(({ propertySelector: { matchProperties, matchExpressions } }) => {
    const resolved = (key: string, value: string): string =>
      (value === SAME_AS_IMPORTER && Object.hasOwn(importer, key) ? importer[key] : undefined) ?? value
    return {
      propertySelector: {
        ...(matchProperties && {
          matchProperties: Object.fromEntries(
            Object.entries(matchProperties).map(([key, value]) => [key, resolved(key, value)]),
          ),
        }),
        ...(matchExpressions && {
          matchExpressions: matchExpressions.map(({ values, ...expression }) => ({
            ...expression,
            ...(values && { values: values.map((value) => resolved(expression.key, value)) }),
          })),
        }),
      },
    }
  })

/**
 * Lists for each selector the clusters that it selects for one importing cluster, by id, sorted. A selector
 * that asks for a property of the importing cluster which that one lacks selects none, whatever its operator.
 * @param properties of the clusters that export, by id
 */
export function selectClusters(
  selectors: readonly ClusterSelector[],
  importer: Properties,
  properties: ReadonlyMap<string, Properties>,
): string[][] {
  const ids = [...properties.keys()].sort()
  return selectors.map((selector) => {
    const requirements = requirementsOf(selector)
    const isOpen = requirements.some(
      ({ key, values }) => values.includes(SAME_AS_IMPORTER) && !Object.hasOwn(importer, key),
    )
    if (isOpen) return []
    const own = resolveSelectors([selector], importer).flatMap(requirementsOf)
    return ids.filter((id) => matchesLabels(own, properties.get(id) ?? {}))
  })
}

/** A cluster without a property matches `NotIn`, as an object without a label does. */
const requirementsOf = ({
  propertySelector: { matchProperties, matchExpressions },
}: ClusterSelector): LabelRequirement[] => selectorFromExpressions(matchProperties, matchExpressions)

/** ClusterProperties of a cluster at most: they are facts about it, some dozens. */
const MAX_PROPERTIES = 1000

interface ReadPropertiesOptions {
  readonly client: ApiClient
  readonly member: ClusterSetMember
  /** Names of the properties that are needed; others are not returned. */
  readonly keys: ReadonlySet<string>
  readonly signal: AbortSignal
}

/**
 * Reads the properties of a cluster: those that the set gives it, then its ClusterProperties (KEP-2149). One
 * that serves none has only the first; where these are all that is needed, nothing is read.
 * @throws KubernetesError when they cannot be read, or are more than MAX_PROPERTIES
 */
export async function readProperties(options: ReadPropertiesOptions): Promise<Properties> {
  const { client, member, keys, signal } = options
  const given = Object.entries(member.properties ?? {}).filter(([key]) => keys.has(key))
  if (given.length === keys.size) return Object.fromEntries(given)
  const resource = await firstServed(client, ABOUT_VERSIONS.map(clusterProperties), { signal })
  if (resource === undefined) return Object.fromEntries(given)
  const { items } = await client.list(resource, { signal })
  if (items.length > MAX_PROPERTIES)
    throw new KubernetesError(
      `cluster ${client.cluster} has ${items.length} ClusterProperties; at most ${MAX_PROPERTIES} are read`,
    )
  const own = items.flatMap(({ metadata, spec }): [string, string][] => {
    const [name, value] = [metadata?.name, isRecord(spec) ? spec.value : undefined]
    return typeof name === 'string' && keys.has(name) && typeof value === 'string' ? [[name, value]] : []
  })
  return Object.fromEntries([...own, ...given])
}
