import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readEventStream, type StreamMessage } from '../support/event-stream.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startTestRun } from '../support/test-run.ts'
import { numbered, type OpenCluster, openScene, until } from './scene.ts'

/** Gathers what a page of this URL receives. */
function followPage(url: string): readonly StreamMessage[] {
  const messages: StreamMessage[] = []
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const follow = async (): Promise<void> => {
    for await (const message of readEventStream(url, ending.signal)) messages.push(message)
  }
  // It ends with the test, or with the process.
  follow().catch(() => undefined)
  return messages
}

export function describeConsole(cluster: OpenCluster): void {
  describe('the console of a process', () => {
    it('tells of a write as it happens, and shows the slices that come of it', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      const { namespace, pods } = scene
      const record = join(temporaryFolder(), 'record.ndjson')
      const run = startTestRun({
        kubeconfig: cluster().kubeconfig,
        flags: ['--console', '0', '--record', record, '--coalescing-window', '0'],
      })
      await run.ready
      const url = /^console: (http:\S+\/)$/m.exec(run.stderr)?.[1] ?? ''
      expect((await fetch(url)).status).toBe(200)
      const query = new URLSearchParams({ cluster: scene.cluster, service: `${namespace}/web` })
      const messages = followPage(`${url}events?${query}`)
      const texts = () =>
        messages
          .filter(({ name }) => name === 'events')
          .flatMap(({ data }) => data.events)
          .filter((event) => event.namespace === namespace && event.kind === 'write')
          .map(({ text }) => text)
          .join('\n')
      const last = (wanted: string) => messages.findLast(({ name }) => name === wanted)?.data

      await scene.addPods(numbered('web', 3))
      await scene.addService('web')
      await until(() => last('slices')?.endpoints).toEqual({ r: 3, u: 0, t: 0 })
      await until(texts).toMatch(/^slice web-\w+ made: .* came: .* ready;.* ms after its key was sent$/m)
      await pods.setReady({ namespace, name: 'web-1' }, false)
      await until(() => last('slices')?.endpoints).toEqual({ r: 2, u: 1, t: 0 })
      await until(texts).toMatch(/^slice web-\w+ written: \S+: pod web-1 became unready;/m)
      await until(() => last('figures')?.written).toBeGreaterThanOrEqual(2)
      expect(last('figures')).toMatchObject({
        guards: expect.arrayContaining([expect.objectContaining({ name: 'held', count: 0 })]),
        deadLetters: 0,
        clusters: [{ name: scene.cluster, state: 'reachable' }],
      })

      run.kill('SIGTERM')
      expect(await run.ended).toBe(0)
      const token = new URL(url).pathname.slice(1, -1)
      expect(run.stdout + run.stderr.replace(`console: ${url}`, '')).not.toContain(token)
      expect(await readFile(record, 'utf8')).toContain('"kind":"write"')
    })
  })
}
