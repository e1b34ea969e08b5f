import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { contentSettings, parseSettings } from '../../../shared/settings/index.ts'
import { startTestRun } from '../../../test/support/test-run.ts'
import { type CommandFleet, startCommandFleet } from '../../fleet.fixtures.ts'
import { createStatusRecord } from '../../local/index.ts'
import { clusterSetsSetting } from '../../options/fleet.ts'
import { outputOf } from '../../program.fixtures.ts'
import { serveStatus } from '../../relay.fixtures.ts'

let fleet: CommandFleet | undefined
beforeAll(async () => {
  fleet = await startCommandFleet(['eu-1', 'us-1'])
})
afterAll(() => fleet?.stop())

/** Runs the command and returns its output; rejects with the error that the program would report. */
const explain = (...args: readonly string[]): Promise<string> =>
  outputOf('explain', ...(fleet?.flags ?? []), ...args)

describe('sliceflow explain --fleet', () => {
  it('reports a Service of the set for people, its name after the flag or before it', async () => {
    for (const args of [
      ['--fleet', 'shop/web'],
      ['shop/web', '--fleet'],
      ['--fleet', 'prod', 'shop/web'],
    ]) {
      const text = await explain(...args)
      expect(text).toMatch(
        /^Service: +shop\/web\nCluster set: +(default|prod)\nImported: +ClusterSetIP, http 80\/TCP/,
      )
      expect(text).toMatch(/eu-1 +exported, wins/)
      expect(text).toMatch(/us-1 +to be written/)
      expect(text).toContain('to be written in eu-1, us-1')
    }
  })

  it('reports it as JSON, with the ids and roles that the flags give', async () => {
    const flags = ['--fleet-id', 'us-1=america', '--fleet-role', 'us-1=import', '-o', 'json']
    const report = JSON.parse(await explain('--fleet', 'shop/web', ...flags))
    expect(report).toMatchObject({
      version: 1,
      clusterSet: 'default',
      merged: { type: 'ClusterSetIP', clusters: ['eu-1'] },
      exports: [
        { cluster: 'eu-1', state: 'Exported' },
        { cluster: 'america', context: 'us-1', state: 'None' },
      ],
    })
    expect(report.endpoints).toHaveLength(1)
  })

  describe('with the run that --relay names', () => {
    /** Serves the status of a run with this setting clusterSets. */
    async function startRun(clusterSets: string): Promise<string> {
      const settings = contentSettings(parseSettings({ clusterSets }))
      return serveStatus(createStatusRecord(['eu-1', 'us-1'], Date.now, settings).document)
    }
    const ask = (...args: readonly string[]): Promise<string> =>
      outputOf('explain', ...(fleet?.kubeconfigs ?? []), ...args)

    it('speaks of its sets, over the clusters that it follows', async () => {
      const options = {
        fleet: 'prod',
        fleetNamespaces: 'shop',
        fleetRole: [],
        fleetId: ['us-1=america'],
        fleetProperty: [],
      }
      const sets = clusterSetsSetting(options, 'none', ['eu-1', 'us-1'])
      const relay = await startRun(sets)
      const report = JSON.parse(await ask('shop/web', '--fleet', '--relay', relay, '-o', 'json'))
      expect(report).toMatchObject({
        clusterSet: 'prod',
        exports: [{ cluster: 'eu-1' }, { cluster: 'america', context: 'us-1' }],
      })
      await expect(ask('shop/web', '--fleet', '--relay', relay, '--fleet-id', 'us-1=usa')).rejects.toThrow(
        `--fleet-id: the cluster sets are those of the run at ${relay}: leave it out`,
      )
    })

    it('says that it has no set', async () => {
      const relay = await startRun('none')
      await expect(ask('shop/web', '--fleet', '--relay', relay)).rejects.toThrow(
        `--fleet: the run at ${relay} has no cluster set; \`sliceflow run --fleet\` makes one`,
      )
    })
  })

  it.each([
    [
      'a Service that no cluster exports',
      ['--fleet', 'shop/wbe'],
      'no cluster of the set default exports or imports shop/wbe: the set has shop/web',
    ],
    [
      'a set without a Service',
      ['--fleet', 'prod'],
      '--fleet prod names a cluster set; name the Service as well: NAMESPACE/NAME',
    ],
    [
      'several clusters without a set',
      ['shop/web'],
      'a Service belongs to one cluster: give one --context, or --fleet for a Service of a set',
    ],
    [
      'a set of --cluster-sets that there is not',
      ['shop/web', '--fleet', 'dev', '--cluster-sets', '[{"name": "prod", "clusters": [{"name": "*"}]}]'],
      '--fleet: name one of the cluster sets: prod',
    ],
  ])('reports %s', async (_, args, message) => {
    await expect(explain(...args)).rejects.toThrow(message)
  })
})

describe('a run that makes a set of its flags', () => {
  it('reports it, so that a question over the set needs no more than the run', async () => {
    const own = await startCommandFleet(['eu-1', 'us-1'])
    onTestFinished(() => own.stop())
    const [, kubeconfig = '', ...flags] = own.flags
    const run = startTestRun({
      kubeconfig,
      flags: [...flags, '--fleet', 'prod', '--fleet-id', 'us-1=america', '--metrics-port', '0'],
    })
    await run.ready
    const relay = /url=(http:\S+)\/metrics/.exec(run.stderr)?.[1] ?? ''
    const ask = async (...args: readonly string[]) =>
      JSON.parse(await outputOf('explain', ...own.kubeconfigs, ...args, '--relay', relay, '-o', 'json'))
    await expect
      .poll(() => ask('shop/web', '--fleet'), { timeout: 20_000 })
      .toMatchObject({
        clusterSet: 'prod',
        imports: [
          { cluster: 'eu-1', state: 'Imported' },
          { cluster: 'america', context: 'us-1', state: 'Imported' },
        ],
      })
    expect(await ask('10.1.0.1', '--fleet')).toEqual(await ask('10.1.0.1'))
    const { objects } = await ask('10.1.0.1')
    expect(objects).toMatchObject([
      {
        services: [
          { cluster: 'eu-1', outcome: 'Imported' },
          {
            outcome: 'Foreign',
            fleet: { arrivals: [{ outcome: 'Published' }, { cluster: 'america', outcome: 'Published' }] },
          },
          { cluster: 'us-1', outcome: 'Imported' },
        ],
      },
    ])
  })
})
