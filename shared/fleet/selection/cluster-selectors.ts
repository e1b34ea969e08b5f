import * as v from 'valibot'
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
import { object, record, safeParse, strictObject } from '../../schema/index.ts'
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

const NOT_A_NAME = 'is not the name of a ClusterProperty (lower case letters, digits, "-" and ".")'
const isName = (key: string): boolean => subdomainName(key).length === 0
const NO_TEXT = `is not a text of up to ${MAX_VALUE_LENGTH} characters`
/** Any text: properties are no labels. */
const VALUE = v.pipe(v.string(NO_TEXT), v.maxLength(MAX_VALUE_LENGTH, NO_TEXT))

const listOf = <const Item extends v.GenericSchema>(item: Item, most: number) =>
  v.pipe(
    v.array(v.unknown(), 'is not a list'),
    v.maxLength(most, `has more than ${most} items`),
    v.array(item),
  )

const needsValues = ({ operator }: PropertyExpression): boolean => operator === 'In' || operator === 'NotIn'

const EXPRESSION = v.pipe(
  object(
    {
      key: v.pipe(v.string(NOT_A_NAME), v.check(isName, NOT_A_NAME)),
      operator: v.picklist(OPERATORS, `is not one of ${OPERATORS.join(', ')}`),
      values: v.nullish(listOf(VALUE, MAX_REQUIREMENTS), []),
    },
    'is not an object',
  ),
  v.forward(
    v.check(
      (expression) => needsValues(expression) === expression.values.length > 0,
      ({ input }) => `must ${needsValues(input) ? 'not ' : ''}be empty for ${input.operator}`,
    ),
    ['values'],
  ),
  v.transform(({ values, ...others }) => ({ ...others, ...(values.length > 0 && { values }) })),
)

const PROPERTIES = v.pipe(
  record(v.string(), VALUE, 'is not an object'),
  v.check(
    (pairs) => Object.keys(pairs).length <= MAX_REQUIREMENTS,
    `has more than ${MAX_REQUIREMENTS} of them`,
  ),
  v.check((pairs) => Object.keys(pairs).every(isName), `has a key that ${NOT_A_NAME}`),
)

const PROPERTY_SELECTOR = v.pipe(
  object(
    {
      matchProperties: v.nullish(PROPERTIES, {}),
      matchExpressions: v.nullish(listOf(EXPRESSION, MAX_REQUIREMENTS), []),
    },
    'is not an object',
  ),
  v.transform(({ matchProperties, matchExpressions }) => ({
    ...(Object.keys(matchProperties).length > 0 && { matchProperties }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  })),
  v.check((selector) => Object.keys(selector).length > 0, 'has neither matchProperties nor matchExpressions'),
)

const SELECTORS = listOf(
  strictObject({ propertySelector: PROPERTY_SELECTOR }, 'is not an object'),
  MAX_SELECTORS,
)

/**
 * Reads `spec.clusterSelectors` of an export, as a cluster sent it.
 * @returns what is wrong with it, in words, where it cannot be used; undefined where there are none
 */
export function readClusterSelectors(value: unknown): readonly ClusterSelector[] | string | undefined {
  if (isAbsent(value)) return undefined
  const { data, issues: [issue] = [] } = safeParse(SELECTORS, value)
  if (issue === undefined) return data?.length === 0 ? undefined : data
  const { path, message, unknownMembers: [other] = [] } = issue
  const place = path
    .map((part) => (/^[a-z]+$/i.test(String(part)) ? `.${part}` : `[${shown(part)}]`))
    .join('')
  const problem =
    other === undefined ? message : `${shown(other)} is not propertySelector, the one criterion there is`
  return `clusterSelectors${place} ${problem}`
}

const shown = (part: string | number): string =>
  typeof part === 'number' ? String(part) : quoted(part.slice(0, MAX_SHOWN))

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
