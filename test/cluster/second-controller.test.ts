import { execFile } from 'node:child_process'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { numbered, openScene, type Scene, until } from '../end-to-end/scene.ts'
import { readEvents, readReasons } from '../end-to-end/service-events.ts'
import type { SliceflowProcess } from '../support/sliceflow-process.ts'
import { IN_TREE_CONTROLLER } from '../support/workload.ts'
import { startControllerManager } from './controller-manager.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { clientOf, connectionOf, startRun, writeFileForTest } from './run-command.ts'

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))
const TAKEOVER = ['--mode', 'replace', '--managed-by', IN_TREE_CONTROLLER] as const
const WARNING = 'another controller writes slices that Sliceflow manages'
const ADVICE = '--controllers=*,-endpointslice-controller'
const FLIPS = 8

let cluster: RealCluster

beforeAll(async () => {
  cluster = await startRealCluster('second-controller')
})
afterAll(() => cluster?.stop())

/** Starts kube-controller-manager; returns what stops it, at the end of the test at the latest. */
async function startInTree(): Promise<() => Promise<void>> {
  const controllers = await startControllerManager({
    kubeconfig: cluster.server.kubeconfig.path,
    controllers: ['endpointslice-controller'],
  })
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopped ??= controllers.stop()
    return stopped
  }
  onTestFinished(stop)
  return stop
}

/** Opens a scene with the Service `web`, which kube-controller-manager serves. */
async function openWeb(): Promise<Scene> {
  const client = await clientOf(cluster.admin)
  const connection = await connectionOf(cluster.user)
  const { setPodsReadable } = cluster
  const opened = { name: connection.name, client, connection, setPodsReadable }
  const scene = await openScene(opened, { mode: 'replace', managedBy: IN_TREE_CONTROLLER })
  await scene.addPods(numbered('web', 3))
  await scene.addService('web')
  await scene.untilRight()
  return scene
}

interface Run {
  readonly run: SliceflowProcess
  readonly kubeconfig: string
  readonly url: string
}

async function startTakeover(...flags: readonly string[]): Promise<Run> {
  const kubeconfig = await writeFileForTest('kubeconfig', cluster.user)
  const run = startRun(kubeconfig, ...TAKEOVER, '--metrics-port', '0', ...flags)
  await run.ready
  return { run, kubeconfig, url: /http:\/\/127\.0\.0\.1:\d+/.exec(run.stderr)?.[0] ?? '' }
}

/** Runs `sliceflow status`; returns its exit code and what it says. */
/** With --relay it takes the settings of the run; without, they are given as flags. */
function status(kubeconfig: string, ...flags: readonly string[]): Promise<{ code: number; text: string }> {
  const settings = flags.includes('--relay') ? [] : TAKEOVER
  const args = [MAIN, 'status', '--kubeconfig', kubeconfig, ...settings, ...flags]
  return new Promise((resolve) => {
    execFile(execPath, args, (error, text) =>
      resolve({ code: error === null ? 0 : Number(error.code), text }),
    )
  })
}

const looksFound = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.matchAll(/^sliceflow_second_controller_syncs_total\{.*\} (\d+)$/gm)
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
}

const lastManager = ({ metadata }: EndpointSlice): string | undefined =>
  (metadata?.managedFields ?? []).toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? -1 : 1)).at(-1)
    ?.manager

/** Makes a pod unready and ready by turns; each time the slices are waited for. */
async function flip(scene: Scene, times = FLIPS): Promise<void> {
  const { namespace } = scene
  for (let count = 1; count <= times; count++) {
    await scene.pods.setReady({ namespace, name: 'web-1' }, count % 2 === 0)
    await scene.untilRight()
  }
}

/** Waits until what is written gets a later time than what was written before: those are whole seconds. */
async function nextSecond(): Promise<void> {
  const seconds = (): number => Math.floor(Date.now() / 1000)
  const now = seconds()
  await until(seconds).toBeGreaterThan(now)
}

describe('a kube-controller-manager that was forgotten in the takeover', () => {
  it('is named by the log, once, a metric, an Event and both ways to the status', async () => {
    await startInTree()
    const scene = await openWeb()
    const { run, kubeconfig, url } = await startTakeover()
    await nextSecond()

    await flip(scene)

    await until(() => run.stderr).toContain(WARNING)
    expect(run.stderr).toMatch(
      new RegExp(
        `${WARNING}: .*${ADVICE.replaceAll('*', '\\*')}.* service=web manager=kube-controller-manager`,
      ),
    )
    expect(run.stderr).toMatch(/ secondsAgo=\d+/)
    expect(run.stderr.split(WARNING)).toHaveLength(2)
    await until(() => looksFound(url)).toBeGreaterThan(0)
    expect(await readEvents(scene)).toMatchObject([
      {
        reason: 'SecondController',
        message: expect.stringContaining(ADVICE),
        involvedObject: { name: 'web' },
      },
    ])
    const reported = expect.stringContaining(
      `kube-controller-manager writes slices that Sliceflow manages (${scene.namespace}/web`,
    )
    expect(await status(kubeconfig, '--relay', url)).toEqual({ code: 1, text: reported })
    expect(await status(kubeconfig)).toEqual({ code: 1, text: reported })
    expect(await readReasons(scene)).not.toContain('SliceFight')
  })
})

describe('a kube-controller-manager that is off', () => {
  it('is not named for what it wrote before, also where that needed no write of ours', async () => {
    const stop = await startInTree()
    const scene = await openWeb()
    await scene.addPods(['calm'], { labels: { app: 'calm' } })
    await scene.addService('calm')
    await scene.untilRight()
    await stop()
    const { run, kubeconfig, url } = await startTakeover()

    await flip(scene)

    expect((await scene.slices('web')).map(lastManager)).toEqual(['sliceflow'])
    expect((await scene.slices('calm')).map(lastManager)).toEqual(['kube-controller-manager'])
    expect(run.stderr).not.toContain(WARNING)
    expect(await looksFound(url)).toBe(0)
    expect(await readEvents(scene)).toEqual([])
    expect(await status(kubeconfig, '--relay', url)).toEqual({
      code: 0,
      text: expect.stringContaining('Healthy'),
    })
  })
})
