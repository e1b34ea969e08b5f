/**
 * EndpointSelectors of a history: what is drawn of them, what can happen to them, and the slices that they
 * must have, computed by code that shares nothing with the planner (test/support/world).
 */
import { ANNOTATION_PAUSED } from '../../shared/changes/index.ts'
import type { EndpointSelector, Pod } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SELECTORS } from '../../shared/kubernetes/index.ts'
import type { Random } from '../support/random.ts'
import { type CheckInput, checkSlices, OF_SELECTORS, serviceOf } from '../support/world/index.ts'
import { APPS, free, type Place, placeOf, SERVICE_NAMES, TRACKS, textOf } from './objects.ts'
import { type Occasion, type Operation, onObject } from './operation.ts'

const NAME_LABEL = OF_SELECTORS.nameLabel

/** Returns the text of the EndpointSelector that a slice is of; undefined if it is of none. */
export function selectorOf({ metadata }: CheckInput['slices'][number]): string | undefined {
  const { [NAME_LABEL]: name, 'kubernetes.io/service-name': service } = metadata?.labels ?? {}
  return name === undefined || service !== undefined ? undefined : `${metadata?.namespace}/${name}`
}

/** Reads a selector as Kubernetes' API has it. */
function matches(
  { selector }: EndpointSelector['spec'],
  labels: Readonly<Record<string, string>> = {},
): boolean {
  const wanted = Object.entries(selector.matchLabels ?? {})
  const isMet = ({
    key,
    operator,
    values,
  }: NonNullable<typeof selector.matchExpressions>[number]): boolean => {
    const isIn = key in labels && (values ?? []).includes(labels[key] ?? '')
    return { In: isIn, NotIn: !isIn, Exists: key in labels, DoesNotExist: !(key in labels) }[operator]
  }
  return (
    wanted.every(([key, value]) => labels[key] === value) && (selector.matchExpressions ?? []).every(isMet)
  )
}

const MARK = 'expected-to-match'

/** Compares the slices of EndpointSelectors with what they must be. Returns a line for each difference. */
export function checkSelectors(
  selectors: readonly EndpointSelector[],
  { slices, pods, ...input }: Omit<CheckInput, 'services' | 'owner' | 'mode'>,
): string[] {
  const paused = new Set(selectors.filter(isPaused).map((one) => textOf(placeOf(one))))
  const own = slices.filter((slice) => {
    const of = selectorOf(slice)
    return of !== undefined && !paused.has(of)
  })
  const active = selectors.filter((one) => !isPaused(one))
  const names = new Set(active.map((one) => textOf(placeOf(one))))
  const orphans = own.filter((slice) => !names.has(selectorOf(slice) ?? ''))
  const common = { ...input, owner: OF_SELECTORS, mode: 'replace' } as const
  const found = active.flatMap((one) => {
    const ofOne = own.filter((slice) => selectorOf(slice) === textOf(placeOf(one)))
    return checkSlices({
      ...common,
      services: [serviceOf(one, { [MARK]: 'yes' })],
      pods: marked(pods, one),
      slices: ofOne,
    })
  })
  return [...found, ...checkSlices({ ...common, services: [], pods, slices: orphans })]
}

const isPaused = ({ metadata }: EndpointSelector): boolean =>
  metadata?.annotations?.[ANNOTATION_PAUSED] === 'true'

const marked = (pods: readonly Pod[], { spec }: EndpointSelector): Pod[] =>
  pods.map((pod) =>
    matches(spec, pod.metadata?.labels)
      ? { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata?.labels, [MARK]: 'yes' } } }
      : pod,
  )

const PORT_LISTS: readonly EndpointSelector['spec']['ports'][] = [
  [],
  [{ name: 'http', targetPort: 'http' }],
  [{ name: 'http', targetPort: 8080, appProtocol: 'kubernetes.io/h2c' }],
  [
    { name: 'http', targetPort: 'http' },
    { name: 'metrics', targetPort: 'metrics' },
  ],
  [{ name: 'dns', protocol: 'UDP', targetPort: 5353 }],
]

function drawSelector(random: Random): EndpointSelector['spec']['selector'] {
  const [first = 'a', second = 'b'] = random.shuffled(APPS)
  const drawn: readonly EndpointSelector['spec']['selector'][] = [
    { matchLabels: { app: first } },
    { matchLabels: { app: first, track: random.pick(TRACKS) ?? 'stable' } },
    { matchExpressions: [{ key: 'app', operator: 'In', values: [first, second] }] },
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [first] }] },
    {
      matchLabels: { app: first },
      matchExpressions: [{ key: 'track', operator: 'NotIn', values: ['canary'] }],
    },
    { matchExpressions: [{ key: 'track', operator: 'DoesNotExist' }] },
    { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
  ]
  return random.pick(drawn) ?? { matchLabels: { app: first } }
}

const drawFamilies = (random: Random): readonly string[] | null =>
  random.pick([null, null, ['IPv4'], ['IPv6'], ['IPv6', 'IPv4']]) ?? null

function drawObject(place: Place, random: Random): EndpointSelector {
  const families = drawFamilies(random)
  const spec = { selector: drawSelector(random), ports: random.pick(PORT_LISTS) ?? [] }
  return { metadata: place, spec: { ...spec, ...(families && { ipFamilies: families }) } }
}

const create = (place: Place, { cluster, random }: Occasion): Promise<unknown> =>
  cluster.client.create(ENDPOINT_SELECTORS, drawObject(place, random))
const remove = (place: Place, { cluster }: Occasion): Promise<unknown> =>
  cluster.client.delete(ENDPOINT_SELECTORS, place)

/** Makes an operation that patches an EndpointSelector. */
const patching = (
  name: string,
  weight: number,
  draw: (occasion: Occasion) => object,
  isTarget: (selector: EndpointSelector) => boolean = () => true,
): Operation =>
  onObject(
    name,
    weight,
    ({ view }) => view.selectors.filter(isTarget),
    async (place, occasion) => {
      const patch = draw(occasion)
      await occasion.cluster.client.patch(ENDPOINT_SELECTORS, place, patch)
      return JSON.stringify(patch)
    },
  )

/** A patch removes what the new form of a selector does not have. */
const whole = (selector: EndpointSelector['spec']['selector']): object => ({
  matchLabels: null,
  matchExpressions: null,
  ...(selector.matchLabels && { matchLabels: { app: null, track: null, ...selector.matchLabels } }),
  ...(selector.matchExpressions && { matchExpressions: selector.matchExpressions }),
})

/** Operations on EndpointSelectors, which have the names of Services. */
export const SELECTOR_OPERATIONS: readonly Operation[] = [
  onObject('selector-create', 6, ({ view }) => free(SERVICE_NAMES, view.selectors), create),
  onObject('selector-delete', 2, ({ view }) => view.selectors, remove),
  onObject(
    'selector-recreate',
    2,
    ({ view }) => view.selectors,
    async (place, occasion) => {
      await remove(place, occasion)
      await create(place, occasion)
    },
  ),
  patching('selector-selector', 5, ({ random }) => ({ spec: { selector: whole(drawSelector(random)) } })),
  patching('selector-ports', 3, ({ random }) => ({ spec: { ports: random.pick(PORT_LISTS) ?? [] } })),
  patching('selector-families', 2, ({ random }) => ({ spec: { ipFamilies: drawFamilies(random) } })),
  patching('selector-labels', 1, ({ number }) => ({ metadata: { labels: { revision: `${number}` } } })),
  patching(
    'selector-pause',
    2,
    () => ({ metadata: { annotations: { [ANNOTATION_PAUSED]: 'true' } } }),
    (one) => !isPaused(one),
  ),
  patching(
    'selector-unpause',
    6,
    () => ({ metadata: { annotations: { [ANNOTATION_PAUSED]: null } } }),
    isPaused,
  ),
]
