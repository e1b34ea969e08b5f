import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SubjectReport } from '../../cli/explain/index.ts'
import { runSliceflow } from '../../cli/program.fixtures.ts'
import { createRecorder, openFileSink } from '../../shared/recording/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { numbered, type OpenCluster, openScene, until } from './scene.ts'

/** Questions in an incident, asked by the command with Sliceflow's own credentials. */
export function describeQuestions(cluster: OpenCluster): void {
  describe('a question', () => {
    async function ask(...args: readonly string[]): Promise<SubjectReport> {
      const { kubeconfig } = cluster()
      const { code, stdout, stderr } = await runSliceflow(
        ...['explain', '--kubeconfig', kubeconfig, '-o', 'json', ...args],
      )
      if (code !== 0) throw new Error(stderr)
      return JSON.parse(stdout)
    }
    const outcomesOf = ({ objects }: SubjectReport, name: string): unknown =>
      objects
        .find((object) => object.name === name)
        ?.services.map(({ service, outcome, slices }) => [service, outcome, slices.length])

    it('about a Pod, its Node or its address is answered, and who removed it once it is gone', async () => {
      const scene = await openScene(cluster())
      const { namespace, nodes, pods } = scene
      const folder = temporaryFolder()
      const file = join(folder, 'record.ndjson')
      const sink = await openFileSink({ file, onProblem: () => {} })
      onTestFinished(() => sink.close())
      await scene.addPods(numbered('web', 2))
      await scene.addPods(['other'], { labels: { app: 'wbe' } })
      await scene.addService('web')
      await scene.start({}, createRecorder({ sink, worker: 'w1', settings: scene.settings }))
      await scene.untilRight()

      const report = await ask(`pod/${namespace}/web-1`)
      const [pod] = report.objects
      expect(pod).toMatchObject({ node: nodes[0], ready: { status: 'True' }, exists: true })
      expect(outcomesOf(report, 'web-1')).toEqual([['web', 'Published', 1]])
      expect(pod?.services[0]).toMatchObject({
        slices: [{ ready: true, serving: true, lastWrite: { manager: 'sliceflow' } }],
        since: { by: 'Slice', time: expect.any(String) },
      })
      const address = pod?.addresses[0] ?? ''
      expect(outcomesOf(await ask(address, '-n', namespace), 'web-1')).toEqual([['web', 'Published', 1]])
      const ofNode = await ask(`node/${nodes[0]}`)
      expect(outcomesOf(ofNode, 'web-1')).toEqual([['web', 'Published', 1]])
      expect(outcomesOf(ofNode, 'web-2')).toBeUndefined()
      const [unselected] = (await ask('pod/other', '-n', namespace)).objects
      expect(unselected?.services).toMatchObject([
        { outcome: 'NotSelected', reasons: ['its selector wants app=web, and the Pod has app=wbe'] },
      ])

      await pods.terminate({ namespace, name: 'web-1' })
      await scene.untilRight()
      const leaving = await ask(`pod/${namespace}/web-1`)
      expect(leaving.objects[0]).toMatchObject({
        deletion: { since: expect.any(String), until: expect.any(String) },
        services: [{ outcome: 'Published', slices: [{ ready: false, serving: true, terminating: true }] }],
      })
      await pods.finish({ namespace, name: 'web-1' })
      await scene.untilRight()
      await expect(ask(`pod/${namespace}/web-1`)).rejects.toThrow(
        `there is no Pod ${namespace}/web-1 in cluster ${scene.cluster}`,
      )
      // The recording is written after the slice.
      const lastEvent = async (...subject: readonly string[]): Promise<unknown> =>
        (await ask(...subject, '--from', file).catch(() => undefined))?.recorded?.at(-1)
      const left = { event: 'Left', cause: 'Deleted', pod: 'web-1', worker: 'w1', service: 'web' }
      await until(() => lastEvent(`pod/${namespace}/web-1`)).toMatchObject(left)
      expect(await lastEvent(address)).toMatchObject(left)
      expect(await lastEvent(`node/${nodes[0]}`)).toMatchObject(left)
    })
  })
}
