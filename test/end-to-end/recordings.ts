import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Endpoint } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import {
  createRecorder,
  createReplay,
  openFileSink,
  type RecordingLine,
  readRecords,
  recordedEndpoint,
} from '../../shared/recording/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'

async function read(file: string): Promise<RecordingLine[]> {
  const records: RecordingLine[] = []
  const lines = readRecords(createReadStream(file), ({ line }) => expect.fail(`line ${line} is broken`))
  for await (const record of lines) records.push(record)
  return records
}

/** Formats the endpoints, sorted so that their order in the slice does not matter. */
const textOf = (endpoints: readonly Endpoint[] = []): string =>
  JSON.stringify(endpoints.map((endpoint) => JSON.stringify(recordedEndpoint(endpoint))).sort())

const publishedIn = async (scene: Scene) =>
  Object.fromEntries(
    (await scene.slices()).map(({ metadata, endpoints }) => [metadata?.name, textOf(endpoints)]),
  )

/** Returns what is published in the end, according to a recording. */
function replayed(records: readonly RecordingLine[], { namespace }: Scene): Record<string, string> {
  const replay = createReplay()
  for (const record of records)
    if (record.kind === 'snapshot' || record.kind === 'write' || record.kind === 'gone') replay.apply(record)
  const own = replay.slices().filter((slice) => slice.namespace === namespace)
  return Object.fromEntries(own.map(({ slice, endpoints }) => [slice, textOf(endpoints)]))
}

export function describeRecordings(cluster: OpenCluster): void {
  describe('a recording', () => {
    it('gives what is published, whatever we and others did to it, and why endpoints went', async () => {
      const scene = await openScene(cluster(), { maxEndpointsPerSlice: 3 })
      const file = join(temporaryFolder(), 'record.ndjson')
      const sink = await openFileSink({ file, onProblem: () => {} })
      onTestFinished(() => sink.close())
      const recorder = createRecorder({ sink, worker: 'w1', settings: scene.settings })
      const { namespace, pods } = scene
      await scene.addPods(numbered('web', 7))
      await scene.addService('web')
      await scene.start({}, recorder)
      await scene.untilRight()
      const isReplayed = async () => {
        await scene.untilRight()
        await until(async () => replayed(await read(file), scene)).toEqual(await publishedIn(scene))
      }
      await isReplayed()

      await pods.setReady({ namespace, name: 'web-2' }, false)
      await pods.terminate({ namespace, name: 'web-3' })
      await isReplayed()
      await pods.finish({ namespace, name: 'web-3' })
      await isReplayed()
      const [one, other] = await scene.slices('web')
      await scene.editSlice(one?.metadata?.name ?? '', { endpoints: [{ addresses: ['10.9.9.9'] }] })
      await isReplayed()
      await scene.client.delete(ENDPOINT_SLICES, { namespace, name: other?.metadata?.name ?? '' })
      await isReplayed()
      await scene.removeService('web')
      await until(() => scene.slices()).toEqual([])
      await until(async () => replayed(await read(file), scene)).toEqual({})

      const records = await read(file)
      const wrote = records.filter((record) => record.kind === 'write')
      const why = (name: string) =>
        wrote.flatMap(({ went }) => went.filter(({ endpoint }) => endpoint.targetRef?.name === name))
      expect(wrote.flatMap(({ changed }) => changed)).toContainEqual(
        expect.objectContaining({
          target: 'web-2',
          to: expect.objectContaining({ conditions: expect.objectContaining({ ready: false }) }),
        }),
      )
      expect(why('web-3')).toMatchObject([{ cause: 'Deleted' }])
      expect(why('web-1').map(({ cause }) => cause)).toEqual(expect.arrayContaining(['ServiceDeleted']))
      expect(records.filter(({ kind }) => kind === 'change').length).toBeGreaterThan(0)
    })
  })
}
