import { expect, it } from 'vitest'
import { ENDPOINT_SELECTORS } from '../../shared/kubernetes/index.ts'
import { type OpenCluster, openScene } from './scene.ts'
import { MATCHES_WEB, type Spec } from './selector-scene.ts'

/** Describes what the definition of EndpointSelector refuses: what could never be published. */
export function describeRefusedSelectors(cluster: OpenCluster): void {
  const refused: readonly (readonly [string, Partial<Spec>, RegExp])[] = [
    ['an empty selector (2 of the test plan of KEP-6116)', { selector: {} }, /would match every Pod/],
    ['none', { selector: undefined as never }, /spec\.selector/],
    [
      'an operator that needs values',
      { selector: { matchExpressions: [{ key: 'app', operator: 'In' }] } },
      /In and NotIn need values/,
    ],
    [
      'an unknown operator',
      { selector: { matchExpressions: [{ key: 'app', operator: 'Like' as never, values: ['x'] }] } },
      /supported values/i,
    ],
    ['a family twice', { ipFamilies: ['IPv4', 'IPv4'] }, /ipFamilies/],
    [
      'two ports of one name',
      {
        ports: [
          { name: 'http', targetPort: 80 },
          { name: 'http', targetPort: 81 },
        ],
      },
      /ports/,
    ],
    ['a port without a target', { ports: [{ name: 'http' } as never] }, /targetPort/],
    ['a target beyond all ports', { ports: [{ targetPort: 70_000 }] }, /targetPort/],
    ['a target that names no port', { ports: [{ targetPort: 'Not A Port' }] }, /targetPort/],
  ]
  it('refuses what could never be published', async () => {
    const { client, namespace } = await openScene(cluster())
    const create = (name: string, spec: Partial<Spec>) =>
      client.create(ENDPOINT_SELECTORS, { metadata: { name, namespace }, spec: { ...MATCHES_WEB, ...spec } })
    for (const [what, spec, message] of refused) {
      const error = await create('web', spec).catch((reason: unknown) => reason)
      expect(error, what).toMatchObject({ code: 422, message: expect.stringMatching(message) })
    }
    await expect(create('web.v1', {}), 'a name that is no label value').rejects.toThrow('must be a DNS label')
  })
}
