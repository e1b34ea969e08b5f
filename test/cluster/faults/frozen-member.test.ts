import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CONDITION_UNREACHABLE } from '../../../shared/fleet/index.ts'
import { openFleetScene, untilImported } from '../../end-to-end/fleet/fleet-scene.ts'
import { until } from '../../end-to-end/scene.ts'
import { mergeKubeconfigs } from '../../support/kubeconfig.ts'
import { freePort } from '../free-port.ts'
import { useRealFleet } from '../real-fleet.ts'
import { startRun, writeFileForTest } from '../run-command.ts'

/** As kube's own clients do: a ping after 30 s, and 15 s for its answer. */
const NOTICED_SECONDS = 45
/** A call of the function finds the same, and all the cores may be busy with something else. */
const BUSY_SECONDS = 25
/** Long enough for what the last write brings: no key may be on its way to the cluster. */
const QUIET_MS = 5_000
const NAMES = ['near', 'far']

describe('a cluster of a set whose API server is frozen', () => {
  const fleet = useRealFleet(NAMES)

  it(`is told of within ${NOTICED_SECONDS} s by imports, metrics and log, and so is that it answers again`, async () => {
    const scene = await openFleetScene(fleet.clusters)
    const [near, far] = [scene.member('near'), scene.member('far')]
    const users = NAMES.map((name) => fleet.serverOf(name).user)
    const port = await freePort()
    const run = startRun(
      await writeFileForTest('kubeconfig', mergeKubeconfigs(users)),
      ...['--fleet', '--fleet-namespaces', scene.namespace, '--log-format', 'json'],
      ...NAMES.flatMap((name) => ['--context', name]),
      ...['--metrics-port', String(port)],
    )
    await run.ready
    await far.addService({}, ['10.2.0.1'])
    await far.addExport()
    await untilImported([near, far], ['far/10.2.0.1'])
    await until(() => far.conditions()).toMatchObject({ Ready: 'True Exported' })
    await sleep(QUIET_MS)

    const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const failing = async (): Promise<string[]> =>
      (await metrics()).match(/^sliceflow_relay_watch_failing\{cluster="far",kind="\w+"\} 1$/gm) ?? []
    const outages = async (): Promise<(string | undefined)[]> =>
      ((await near.imported())?.status?.conditions ?? [])
        .filter(({ type }) => type === CONDITION_UNREACHABLE)
        .map(({ message }) => message)
    /** Returns lines about the frozen cluster with this message: those of the relay, or of its set. */
    const logged = (message: string): Record<string, unknown>[] =>
      run.stderr
        .split('\n')
        .filter((line) => line.includes(message))
        .map((line) => JSON.parse(line))
        .filter(({ cluster }) => cluster === 'far')
    expect([await failing(), await outages()]).toEqual([[], []])

    const { server } = fleet.serverOf('far')
    await server.kill('SIGSTOP')
    onTestFinished(() => server.kill('SIGCONT'))
    const noticed = { timeout: (NOTICED_SECONDS + BUSY_SECONDS) * 1000, interval: 500 }
    const outage = /^far cannot be read since 20\S+Z: its endpoints stay as they were$/
    await expect.poll(outages, noticed).toEqual([expect.stringMatching(outage)])
    await expect
      .poll(failing, noticed)
      .toContain('sliceflow_relay_watch_failing{cluster="far",kind="serviceexports"} 1')
    const unfollowed = logged('cannot follow the cluster')
    expect(unfollowed.map(({ clusterSet }) => clusterSet ?? 'none').toSorted()).toEqual(['default', 'none'])
    for (const { err } of unfollowed) expect(err).toContain('cluster far has been silent for 45 s')
    expect(logged('the cluster does not answer')).toHaveLength(1)
    expect(await near.addresses()).toEqual(['far/10.2.0.1'])

    await server?.kill('SIGCONT')
    await expect.poll(outages).toEqual([])
    await expect.poll(failing).toEqual([])
    await far.publish(['10.2.0.2'])
    await untilImported([near, far], ['far/10.2.0.2'])
  })
})
