import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { ClusterSet } from '../../shared/cluster-sets/index.ts'
import type { ClusterStatus, StatusDocument } from '../local/index.ts'
import { type CommandContext, createOperatorCommands, operatorTasks } from './index.ts'

const SETTINGS = { mode: 'custom', managedBy: 'sliceflow.dev' } as const
const SET: ClusterSet = {
  name: 'prod',
  namespaces: ['shop', 'team-*'],
  unreachable: { unreachableCluster: 'keep', unreachableClusterExpiry: 1 },
  members: [
    { cluster: 'eu-1', id: 'eu-1', role: 'both' },
    { cluster: 'arn:aws:eks:us', id: 'us', role: 'import' },
  ],
}

const cluster = (name: string, more: Partial<ClusterStatus> = {}): ClusterStatus => ({
  name,
  failures: 0,
  waiting: 0,
  writes: 0,
  ...more,
})
const status = (more: Partial<StatusDocument> = {}): StatusDocument => ({
  version: 1,
  startedAt: '2026-03-01T12:00:00Z',
  clusters: [],
  ...more,
})
const list = (...services: readonly string[]) => ({ total: services.length, services })
const commandsOf = (context: Partial<CommandContext> = {}) =>
  createOperatorCommands({ settings: SETTINGS, ...context })

describe('what waits for an operator', () => {
  it('is nothing where a run is well', () => {
    expect(operatorTasks(status({ clusters: [cluster('eu-1')] }), 0, commandsOf())).toEqual({
      tasks: [],
      more: 0,
    })
    expect(operatorTasks(status(), undefined, commandsOf())).toEqual({ tasks: [], more: 0 })
  })

  it('is each held plan, fight, import and dead letter, with the command that answers it', () => {
    const none = { services: 1, exports: 1, imports: 1, conflicts: 0, blocked: 1, leftOut: 0, failures: 0 }
    const document = status({
      clusters: [
        cluster('eu-1', { problems: { held: list('shop/web'), oversized: list('shop/huge') } }),
        cluster('us-1', { problems: { fights: list('shop/api') } }),
      ],
      clusterSets: [
        { name: 'prod', ...none, problems: { unwritten: list('shop/db'), fights: list('shop/cart') } },
      ],
      lanes: [
        { lane: 'live', queue: 'http://q/live', deadLetters: 'http://q/dead' },
        { lane: 'sweep', queue: 'http://q/sweep', deadLetters: 'http://q/dead' },
      ],
    })
    const { tasks, more } = operatorTasks(document, 3, commandsOf({ sets: [SET] }))
    const ofSet =
      'sliceflow explain --fleet prod --context eu-1 --context arn:aws:eks:us --fleet-id arn:aws:eks:us=us --fleet-role arn:aws:eks:us=import --fleet-namespaces'
    expect(tasks.map(({ text, command }) => [text, command])).toEqual([
      [
        'eu-1 shop/huge: nothing is written, as it would have too many endpoints',
        'sliceflow explain --context eu-1 shop/huge',
      ],
      [
        'eu-1 shop/web: a plan is held (sliceflow explain shows it)',
        'sliceflow release --context eu-1 shop/web',
      ],
      [
        'us-1 shop/api: somebody undoes every repair of its slices',
        'sliceflow explain --context us-1 shop/api',
      ],
      [
        'cluster set prod shop/cart: somebody undoes every repair of its slices',
        `${ofSet} 'shop,team-*' shop/cart`,
      ],
      ['cluster set prod shop/db: an import is not written', `${ofSet} 'shop,team-*' shop/db`],
      ['3 dead letters: keys were given up', 'sliceflow dead-letters list --queue http://q/dead'],
    ])
    expect(more).toBe(0)
  })

  it('lists ten of a kind, over all clusters, and counts the others', () => {
    const many = (name: string) => ({ total: 500, services: Array(10).fill(`shop/${name}`) })
    const clusters = ['a', 'b', 'c'].map((name) =>
      cluster(name, { problems: { held: many('web'), fights: many('api') } }),
    )
    const { tasks, more } = operatorTasks(status({ clusters }), 1, commandsOf())
    const count = (kind: string) => tasks.filter((task) => task.kind === kind).length
    expect([count('held plan'), count('fight'), count('dead letters'), more]).toEqual([10, 10, 1, 2_980])
  })
})

describe('the commands of an operator', () => {
  it('have the flags of a run without the usual settings, or with a kubeconfig of its own', () => {
    const settings = { mode: 'replace', managedBy: 'in.tree' } as const
    const commands = commandsOf({ settings, kubeconfig: ['fleet.yaml', 'more.yaml'] })
    expect(commands.release('eu-1', 'shop/web')).toBe(
      'sliceflow release --kubeconfig fleet.yaml --kubeconfig more.yaml --context eu-1 --managed-by in.tree shop/web',
    )
    expect(commands.explain('eu-1', 'shop/web')).toBe(
      'sliceflow explain --kubeconfig fleet.yaml --kubeconfig more.yaml --context eu-1 --mode replace --managed-by in.tree shop/web',
    )
  })

  it('name a run that serves its status, as soon as it does', () => {
    let url: string | undefined
    const commands = commandsOf({ settings: { ...SETTINGS, mode: 'replace' }, relay: () => url })
    expect(commands.explain('eu-1', 'shop/web')).toContain('--mode replace')
    url = 'http://127.0.0.1:9090'
    expect(commands.explain('eu-1', 'shop/web')).toBe(
      'sliceflow explain --context eu-1 --relay http://127.0.0.1:9090 shop/web',
    )
    expect(commandsOf({ sets: [SET], relay: () => url }).explainFleet('prod', 'shop/web')).toBe(
      'sliceflow explain --fleet prod --relay http://127.0.0.1:9090 shop/web',
    )
    expect(commands.listDeadLetters([])).toBe('sliceflow dead-letters list --relay http://127.0.0.1:9090')
  })

  it.each(["o'brien", 'a b', '$(touch /tmp/x)', '`id`', 'x;y', '"q"', 'a\\b'])(
    'quote the name %s, so that a shell reads it as one word and runs nothing',
    (name) => {
      const [, ...words] = commandsOf().release(name, 'shop/web').split(' ')
      const script = `printf '%s\\n' ${words.join(' ')}`
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(
        `release\n--context\n${name}\nshop/web\n`,
      )
    },
  )
})
