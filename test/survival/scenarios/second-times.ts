import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Queues, startEmbeddedQueues } from '../../../cli/local/index.ts'
import { NAMESPACES } from '../../../shared/kubernetes/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import type { Scenario } from '../scenario.ts'
import { openWeb, seconds, type World } from '../world.ts'

const SOURCE = 'review of 2026-11'
const OTHER = 'other.example'
/** Sliceflow compares all Services again after this time, in seconds. */
const SWEEP = 10
/** Unrelated writes, so that a restored server has versions below those that were seen. */
const OTHER_WRITES = 200

async function writeOthers({ client }: World): Promise<void> {
  for (let index = 0; index < OTHER_WRITES; index++)
    await client.patch(NAMESPACES, { name: 'default' }, { metadata: { labels: { other: `${index}` } } })
}

const unready = ({ pods, namespace }: World, name: string): Promise<unknown> =>
  pods.setReady({ namespace, name }, false)

/** What goes well the first time: a server that is set back, and a start with another setting. */
export const secondTimes: readonly Scenario[] = [
  {
    id: 'restored-from-backup',
    source: SOURCE,
    sentence: `The API server is set back to a backup, 200 versions ago, while the controller runs, and pods become unready at once: that is published. (Sliceflow with --sweep-interval ${SWEEP}.)`,
    alone: true,
    flags: { sliceflow: ['--sweep-interval', String(SWEEP)] },
    async prepare(world) {
      await openWeb(4)(world)
      await world.server.snapshot()
      await writeOthers(world)
      await unready(world, 'web-1')
      await world.mustBeRight()
    },
    async act(world) {
      await world.server.setBack()
      await unready(world, 'web-2')
      await writeOthers(world)
      await unready(world, 'web-3')
    },
    assess: (world) => world.rightInTheEnd(SWEEP + 20),
  },
  refusedAtRestart(),
  {
    id: 'mode-changed',
    source: SOURCE,
    sentence:
      'The controller is restarted in another mode and with another managed-by value, and a pod becomes unready: the log names the slices of before, which nothing updates any more, and the command that deletes them. (Sliceflow with --mode custom, then with --mode replace --managed-by other.example.)',
    alone: true,
    mode: 'custom',
    cannot: { 'kube-controller-manager': 'it has no such setting' },
    prepare: openWeb(),
    async act(world) {
      await world.subject.kill()
      await world.subject.start(['--mode', 'replace', '--managed-by', OTHER])
      await unready(world, 'web-1')
    },
    async assess(world) {
      const command = 'offboard --managed-by sliceflow.dev'
      const wait = await world.until(async () =>
        world.subject.log?.().includes(command) === true ? [] : ['the log says nothing of them'],
      )
      const { length } = await world.slices('web')
      const after = `after ${seconds(wait.seconds)}`
      return {
        survived: wait.isMet && length === 1,
        observed: wait.isMet
          ? `the log names ${length} slice and \`${command}\` ${after}`
          : `${wait.problems[0]} ${after}`,
      }
    },
  },
]

function refusedAtRestart(): Scenario {
  const kept = new WeakMap<
    World,
    { readonly folder: string; readonly queues: Queues; readonly flags: readonly string[] }
  >()
  return {
    id: 'refused-at-restart',
    source: SOURCE,
    sentence:
      'The controller is restarted with its state, and with a setting that refuses the address of a pod: that address is published no longer. (Sliceflow with --state-dir, then with --refused-addresses as well.)',
    alone: true,
    cannot: { 'kube-controller-manager': 'it has no such setting' },
    async prepare(world) {
      const folder = await mkdtemp(join(tmpdir(), 'sliceflow-survival-state-'))
      // The state is of use only to a process whose queue outlives it.
      const queues = await startEmbeddedQueues(parseSettings({}))
      const { live, sweep } = queues.lanes
      const flags = ['--state-dir', folder, '--queue', live.url, '--sweep-queue', sweep.url]
      kept.set(world, { folder, queues, flags })
      await world.subject.kill()
      await world.subject.start(flags)
      await openWeb()(world)
    },
    async act(world) {
      const [address] = await addressesOf(world)
      await world.subject.kill()
      const { flags = [] } = kept.get(world) ?? {}
      await world.subject.start([...flags, '--refused-addresses', `special,${address}/32`])
    },
    async assess(world) {
      const wait = await world.until(async () => {
        const { length } = await addressesOf(world)
        return length === 2 ? [] : [`${length} of 3 addresses are published`]
      })
      const after = `after ${seconds(wait.seconds)}`
      if (wait.isMet) return { survived: true, observed: `the other 2 are left ${after}` }
      return { survived: false, observed: `${wait.problems[0]} ${after}` }
    },
    async end(world) {
      await world.subject.kill()
      const { queues, folder = '' } = kept.get(world) ?? {}
      await queues?.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const addressesOf = async (world: World): Promise<string[]> =>
  (await world.slices('web')).flatMap(({ endpoints }) =>
    (endpoints ?? []).flatMap(({ addresses }) => addresses),
  )
