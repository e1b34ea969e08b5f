import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundleAll } from '../../infra/bundling/index.ts'
import type { Bundles } from '../../infra/constructs/index.ts'
import { adminOf } from '../deployed/objects.ts'
import { connectionOf } from '../deployed/scene.ts'
import type { TestCluster } from '../end-to-end/cluster.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { createWorkload } from '../support/workload.ts'
import { createSecret } from './cloudformation.ts'
import {
  deployVersion,
  type EmulatedStack,
  type RunningFunction,
  type RunningRelay,
  runFunction,
  runRelay,
  type Version,
} from './emulated-stack.ts'
import { emulatorEndpoint, HOW_TO_RUN } from './endpoint.ts'
import { type AlarmPhase, openPhase } from './phase-alarms.ts'

const TIMEOUT_MS = 900_000
/** A relay writes its metrics once a minute. */
const PHASE_SECONDS = 65
const RATE = 2
/** Longer than a change takes on a busy machine. */
const STANDBY_SECONDS = 10
const SETTLE_SECONDS = 120
/** Words by which one says that somebody else undoes what it writes. */
const ACCUSATION = /keeps undoing|another controller writes|another Sliceflow/

/** A deployment in a region that can be cut off, with what runs of it. */
interface Deployed {
  readonly name: string
  readonly proxy: TcpProxy
  version: Version
  stack: EmulatedStack
  function: RunningFunction
  relay: RunningRelay
  /** Logs of what has ended. */
  readonly logs: string[]
}

const logOf = (deployed: Deployed): string =>
  [...deployed.logs, deployed.function.log(), deployed.relay.log()].join('\n')

/** Returns the last warnings and errors, to find out why an alarm rings. */
const problemsOf = (...all: readonly Deployed[]): string =>
  all
    .map((deployed) =>
      logOf(deployed)
        .split('\n')
        .filter((line) => /"level":"(warn|error)"/.test(line) && !line.includes('skipped objects'))
        .slice(-10)
        .join('\n'),
    )
    .join('\n\n')

describe.skipIf(emulatorEndpoint === undefined)(`a deployment and its standby ${HOW_TO_RUN}`, () => {
  let folder: string
  let bundles: Bundles

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sliceflow-regions-'))
    bundles = await bundleAll(join(folder, 'bundles'))
  }, TIMEOUT_MS)
  afterAll(() => rm(folder, { recursive: true }))

  async function deploy(
    name: string,
    cluster: TestCluster,
    region: { name: string; standby: boolean },
  ): Promise<Deployed> {
    const { hostname, port } = new URL(emulatorEndpoint ?? '')
    const proxy = await startTcpProxy({ target: { hostname, port: Number(port) } })
    onTestFinished(() => proxy.close())
    const secretArn = await createSecret(`edge-${randomUUID()}`, connectionOf(cluster.user), region.name)
    const version: Version = {
      bundles,
      clusters: [{ name: 'edge', kind: 'secret', secretArn }],
      settings: { coalescingWindow: 0.05, standbyDelay: STANDBY_SECONDS },
      region: { name: region.name, endpoint: `http://127.0.0.1:${proxy.port}` },
      standby: region.standby,
    }
    const stack = await deployVersion(name, version)
    return { name, proxy, version, stack, ...(await run(stack)), logs: [] }
  }

  const run = async (stack: EmulatedStack): Promise<{ function: RunningFunction; relay: RunningRelay }> => ({
    function: await runFunction(stack),
    relay: runRelay(stack),
  })

  /** Updates a deployment as CloudFormation and ECS do: the new relay runs before the old one ends. */
  async function update(deployed: Deployed, version: Version): Promise<void> {
    const { function: oldFunction, relay: oldRelay } = deployed
    deployed.version = version
    deployed.stack = await deployVersion(deployed.name, version, true)
    await oldFunction.stop()
    Object.assign(deployed, await run(deployed.stack))
    await expect.poll(() => deployed.relay.log(), { timeout: 60_000 }).toContain('ready: following')
    expect(await oldRelay.stop()).toBe(0)
    deployed.logs.push(oldFunction.log(), oldRelay.log())
  }

  /** Cuts a region off: first its queues, and with them its functions, and after a while its relay. */
  async function lose({ proxy, function: running, relay }: Deployed): Promise<void> {
    proxy.setOpen(false)
    proxy.cutAll()
    await sleep(15_000)
    await Promise.all([relay.stop('SIGKILL'), running.stop()])
  }

  async function restore(deployed: Deployed): Promise<void> {
    deployed.logs.push(deployed.function.log(), deployed.relay.log())
    deployed.proxy.setOpen(true)
    Object.assign(deployed, await run(deployed.stack))
  }

  const phaseOf = (deployed: Deployed): AlarmPhase =>
    openPhase({ alarms: deployed.stack.synthesized.alarms, log: () => logOf(deployed) })

  it(
    'lose no key while the first one is updated, its relay replaced, its region lost, and when it is back; alarms are as they ought to be',
    async () => {
      const cluster = await startEmbeddedCluster('edge')
      onTestFinished(() => cluster.stop())
      const client = await adminOf({ cluster })
      // One account, and the same name in both regions.
      const name = `Sliceflow${randomUUID().slice(0, 8)}`
      const first = await deploy(name, cluster, { name: 'us-east-1', standby: false })
      const standby = await deploy(name, cluster, { name: 'eu-west-1', standby: true })
      const workload = createWorkload({ client, services: 6, podsPerService: 4, seed: 921 })
      await workload.createAll()
      expect((await workload.settle(SETTLE_SECONDS)).differences).toEqual([])

      // An update with messages in flight, and another relay.
      let changes = workload.change({ rate: RATE, seconds: 20 })
      await sleep(3_000)
      const { settings } = first.version
      await update(first, { ...first.version, settings: { ...settings, keysPerCluster: 4 } })
      await changes
      expect((await workload.settle(SETTLE_SECONDS)).differences).toEqual([])

      // Both work.
      let phases = [phaseOf(first), phaseOf(standby)] as const
      await workload.change({ rate: RATE, seconds: PHASE_SECONDS })
      expect((await workload.settle(SETTLE_SECONDS)).differences).toEqual([])
      expect(
        phases.map((phase) => phase.ringing()),
        problemsOf(first, standby),
      ).toEqual([[], []])

      // The region of the first one is lost.
      phases = [phaseOf(first), phaseOf(standby)]
      changes = workload.change({ rate: RATE, seconds: PHASE_SECONDS })
      await lose(first)
      const lost = phaseOf(first)
      await changes
      expect((await workload.settle(SETTLE_SECONDS)).differences).toEqual([])
      expect(lost.ringing()).toContain('RelayDown')
      expect(phases[1].ringing(), problemsOf(standby)).toEqual(['StandbySends'])

      // It is back, with what its queues still have.
      await restore(first)
      await workload.change({ rate: RATE, seconds: 15 })
      expect((await workload.settle(SETTLE_SECONDS)).differences).toEqual([])
      const handled = first.function.invocations.length
      await workload.change({ rate: RATE, seconds: 5 })
      expect((await workload.settle(SETTLE_SECONDS)).differences).toEqual([])
      expect(first.function.invocations.length).toBeGreaterThan(handled)
      for (const deployed of [first, standby])
        expect(
          logOf(deployed)
            .split('\n')
            .filter((line) => ACCUSATION.test(line)),
        ).toEqual([])
    },
    TIMEOUT_MS,
  )
})
