import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type HistoryEntry,
  ofService,
  openRecording,
  publishedAt,
  timelineOf,
} from '../../cli/history/index.ts'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { createRecorder, openFileSink, recordedEndpoint } from '../../shared/recording/index.ts'
import { createRandom } from '../support/random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { numbered, type OpenCluster, openScene, until } from './scene.ts'

const STEPS = 12
const PODS = numbered('web', 8)
/** More than the file gathers before it is written, in milliseconds. */
const WRITTEN_MS = 500

const texts = (
  slices: readonly { name: string | undefined; endpoints: EndpointSlice['endpoints'] }[],
): unknown =>
  slices
    .map(({ name, endpoints }) => [
      name,
      (endpoints ?? []).map((endpoint) => JSON.stringify(recordedEndpoint(endpoint))).sort(),
    ])
    .sort()

export function describeHistories(cluster: OpenCluster): void {
  describe('a history', () => {
    it('says what was published at any time, and who removed an endpoint, when and why', async () => {
      const scene = await openScene(cluster(), { maxEndpointsPerSlice: 3 })
      const { namespace, pods } = scene
      const folder = temporaryFolder()
      const file = join(folder, 'record.ndjson')
      const sink = await openFileSink({ file, onProblem: () => {} })
      onTestFinished(() => sink.close())
      const recorder = createRecorder({ sink, worker: 'w1', settings: scene.settings })
      const key = { cluster: scene.cluster, namespace, service: 'web' }
      const lines = () =>
        ofService(openRecording({ from: [file], cluster: key.cluster, onProblem: () => {} }), key)
      const { below, chance, pick } = createRandom(7)
      const moments: { readonly time: number; readonly slices: unknown }[] = []
      const isRight = async (): Promise<void> => {
        await scene.untilRight()
        const slices = await scene.slices('web')
        moments.push({
          time: Date.now(),
          slices: texts(slices.map(({ metadata, endpoints }) => ({ name: metadata?.name, endpoints }))),
        })
        // Two moments may not share a millisecond with a write.
        await sleep(2)
      }
      await scene.addPods(PODS)
      await scene.addService('web')
      await scene.start({}, recorder)
      await isRight()

      for (let step = 0; step < STEPS; step++) {
        const changed = PODS.filter(() => chance(0.4))
        await Promise.all(changed.map((name) => pods.setReady({ namespace, name }, chance(0.5))))
        const [slice] = (await scene.slices('web')).slice(below(3))
        if (slice !== undefined && chance(0.3))
          await scene.editSlice(slice.metadata?.name ?? '', { endpoints: [{ addresses: ['10.9.9.9'] }] })
        await isRight()
      }
      const gone = pick(PODS) ?? ''
      const address = (await scene.slices('web'))
        .flatMap(({ endpoints }) => endpoints ?? [])
        .find(({ targetRef }) => targetRef?.name === gone)?.addresses[0]
      await pods.terminate({ namespace, name: gone })
      await pods.finish({ namespace, name: gone })
      await isRight()
      await sleep(WRITTEN_MS)

      for (const { time, slices } of moments) {
        const report = await publishedAt(lines(), key, time)
        expect(
          texts(report.slices.map(({ slice, endpoints }) => ({ name: slice, endpoints: [...endpoints] }))),
        ).toEqual(slices)
      }
      const removal = async (): Promise<HistoryEntry | undefined> => {
        const entries: HistoryEntry[] = []
        for await (const entry of timelineOf(lines(), { pod: gone })) entries.push(entry)
        return entries.findLast(({ kind }) => kind === 'Write')
      }
      await until(removal).toMatchObject({
        worker: 'w1',
        endpoints: [{ event: 'Left', addresses: [address], pod: gone, cause: 'Deleted' }],
      })
    })
  })
}
