import { describe, expect, it } from 'vitest'
import {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_NAMESPACE,
  ANNOTATION_SELECTOR,
} from '../../shared/changes/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { numbered, type OpenCluster, openScene, openWeb, type Scene, until } from './scene.ts'
import { readEvents } from './service-events.ts'

const LONG_SERVICES = 60
/** Would select the pods of Service `web`, were it read; 187,000 characters. */
const LONG_SELECTOR = `app in (web${',x'.repeat(93_494)})`

interface Refused {
  readonly annotations: (scene: Scene, other: Scene) => Readonly<Record<string, string>>
  /** Problem that the Event names. */
  readonly problem: string
  /** The settings that grant it. */
  readonly grant: (scene: Scene, other: Scene) => Partial<Settings>
  /** Addresses that are published with the grant. */
  readonly addresses: readonly string[]
}

const REFUSED: Readonly<Record<string, Refused>> = {
  'pods of another namespace of its own cluster': {
    annotations: ({ cluster }, { namespace }) => ({
      [ANNOTATION_SELECTOR]: 'app=web',
      [ANNOTATION_CLUSTER]: cluster,
      [ANNOTATION_NAMESPACE]: namespace,
    }),
    problem: 'setting allowedPods',
    grant: ({ cluster, namespace }, other) => ({
      allowedPods: `${cluster}/${namespace}=./${other.namespace}`,
    }),
    addresses: ['10.1.0.0', '10.1.0.1'],
  },
  'plain addresses': {
    annotations: () => ({ [ANNOTATION_ADDRESSES]: '10.66.6.6' }),
    problem: 'setting allowedAddresses',
    grant: ({ namespace }) => ({ allowedAddresses: `*/${namespace}=10.66.0.0/16` }),
    addresses: ['10.66.6.6'],
  },
}

/** Returns the addresses that a Service's slices publish as ready. */
async function readyOf(scene: Scene, service: string): Promise<string[]> {
  const endpoints = (await scene.slices(service)).flatMap((slice) => slice.endpoints ?? [])
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false)
  return ready.flatMap(({ addresses }) => addresses).sort()
}

export function describeTenants(cluster: OpenCluster): void {
  describe(`${LONG_SERVICES} Services with a selector of 187 kB`, () => {
    it('are refused in an Event each, hold up no other Service, and are taken up once they are mended', async () => {
      const scene = await openWeb(cluster(), 2, { mode: 'custom' })
      const long = numbered('long', LONG_SERVICES)
      const annotations = { [ANNOTATION_SELECTOR]: LONG_SELECTOR }
      for (const name of long) await scene.addService(name, { selector: null, annotations })
      await scene.start()

      await until(async () => new Set(await refusedServices(scene)).size).toBe(LONG_SERVICES)
      await scene.pods.setReady({ namespace: scene.namespace, name: 'web-1' }, false)
      await until(() => readyOf(scene, 'web')).toEqual(['10.1.0.1'])

      expect(await scene.slices()).toHaveLength(1)
      await scene.patchService('long-1', scene.selectorPatch({ app: 'web' }))
      await until(() => readyOf(scene, 'long-1')).toEqual(['10.1.0.1'])
    })
  })

  describe('a Service that names, without a grant', () => {
    it.each(Object.entries(REFUSED))(
      '%s gets an Event and no slices, and has them with the grant',
      async (...[, of]) => {
        const scene = await openScene(cluster(), { mode: 'custom' })
        const other = await openScene(cluster(), { mode: 'custom' })
        await other.addPods(numbered('web', 2))
        const sliceflow = await scene.start()
        const annotations = of.annotations(scene, other)
        const ports = [{ name: 'http', port: 80, targetPort: 8080 }]
        await scene.addService('web', { selector: null, annotations, ports })

        await until(() => readEvents(scene)).toMatchObject([
          {
            type: 'Warning',
            reason: 'RefusedAnnotation',
            message: expect.stringContaining(of.problem),
            involvedObject: { kind: 'Service', name: 'web' },
          },
        ])
        expect(await scene.slices()).toEqual([])
        await sliceflow.stop()

        await scene.start(of.grant(scene, other))
        await until(() => readyOf(scene, 'web')).toEqual(of.addresses)
      },
    )
  })
}

async function refusedServices(scene: Scene): Promise<(string | undefined)[]> {
  const events = await readEvents(scene)
  return events
    .filter(({ reason, message }) => reason === 'InvalidSelector' && message?.includes('187000 characters'))
    .map(({ involvedObject }) => involvedObject?.name)
}
