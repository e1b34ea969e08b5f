import { describe, expect, it } from 'vitest'
import { serviceOfSelector } from '../../endpointslice/index.ts'
import { parseSettings, type SettingsInput } from '../../settings/index.ts'
import {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_NAMESPACE,
  ANNOTATION_NETWORK,
  ANNOTATION_SELECTOR,
  createClusterIndex,
  createCrossClusterSelectors,
  permissionsOf,
  SOURCES,
  selectionOf,
} from '../index.ts'

const selectorWith = (annotations: Readonly<Record<string, string>>, targetPort: number | string = 8080) => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', annotations },
  spec: { selector: { matchLabels: { app: 'web' } }, ports: [{ targetPort }] },
})

/** Returns the selection in the cluster eu-1. */
const select = (
  annotations: Readonly<Record<string, string>>,
  settings: SettingsInput = {},
  targetPort?: number | string,
) =>
  selectionOf(
    serviceOfSelector(selectorWith(annotations, targetPort), () => true),
    'custom',
    permissionsOf('eu-1', parseSettings(settings)),
  )

const ELSEWHERE = { [ANNOTATION_CLUSTER]: 'us-1, eu-1', [ANNOTATION_NAMESPACE]: 'jobs' }
const NETWORK = { [ANNOTATION_NETWORK]: 'fast' }
const ADDRESSES = { [ANNOTATION_ADDRESSES]: '10.9.0.1,10.9.0.2' }

describe('annotations of an EndpointSelector', () => {
  it('take Pods of granted clusters and namespaces', () => {
    expect(select(ELSEWHERE, { allowedPods: 'eu-1/shop=*/jobs' })).toMatchObject({
      kind: 'managed',
      selector: [{ key: 'app' }],
      clusters: ['us-1', 'eu-1'],
      namespace: 'jobs',
    })
  })

  it('take addresses of a granted network', () => {
    const granted = { allowedNetworks: 'eu-1/shop=10.8.0.0/16' }
    expect(select(NETWORK, granted)).toMatchObject({ network: 'fast', networkRanges: ['10.8.0.0/16'] })
  })

  it('take granted addresses in place of its Pods', () => {
    const granted = { allowedAddresses: 'eu-1/shop=10.9.0.0/16' }
    expect(select(ADDRESSES, granted)).toMatchObject({ kind: 'sourced', asked: ['10.9.0.1', '10.9.0.2'] })
    expect(select(ADDRESSES, granted, 'http')).toMatchObject({
      kind: 'invalid',
      annotation: ANNOTATION_ADDRESSES,
      problem: expect.stringContaining('only pods can resolve'),
    })
  })

  it.each([
    [ANNOTATION_CLUSTER, ELSEWHERE],
    [ANNOTATION_NETWORK, NETWORK],
    [ANNOTATION_ADDRESSES, ADDRESSES],
  ])('are refused without a grant: %s', (annotation, annotations) => {
    expect(select(annotations)).toMatchObject({ kind: 'invalid', isRefused: true, annotation })
  })

  it('never select otherwise than its spec', () => {
    expect(select({ [ANNOTATION_SELECTOR]: 'app=api' })).toMatchObject({
      kind: 'invalid',
      annotation: ANNOTATION_SELECTOR,
    })
  })
})

it('an index names the EndpointSelectors that ask for a source as such', () => {
  const settings = parseSettings({ endpointSelectors: true, allowedAddresses: '*/*=10.9.0.0/16' })
  const permissions = permissionsOf('eu-1', settings)
  const index = createClusterIndex('eu-1', 'custom', createCrossClusterSelectors(), { permissions })
  index.endpointSelectors.put(selectorWith(ADDRESSES))
  const [asking] = SOURCES.flatMap((source) => index.asking(source))
  expect(asking).toMatchObject({ namespace: 'shop', service: 'web', ownerKind: 'EndpointSelector' })
})
