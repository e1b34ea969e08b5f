import type { ClusterSet } from '../../shared/cluster-sets/index.ts'
import { shellWord } from '../../shared/kubernetes/index.ts'
import { guardProblems } from '../../shared/reconciler/index.ts'
import { parseSettings, type Settings } from '../../shared/settings/index.ts'
import type { GuardStatus, LaneStatus, StatusDocument } from '../local/index.ts'

/** Something that waits for a person, and the command that answers it. */
interface OperatorTask {
  /** That of a guard's problem, `import` or `dead letters`. */
  readonly kind: string
  /** One line: whom it is about, and what is so. */
  readonly text: string
  readonly command: string
}

export interface OperatorTasks {
  /** In the order of the guards, then imports and dead letters. */
  readonly tasks: readonly OperatorTask[]
  readonly more: number
}

/** A flood of one kind hides no other. */
const MAX_OF_KIND = 10

/**
 * Lists the tasks of a run that need a person, from its status.
 * @param deadLetters their number; undefined if unknown
 */
export function operatorTasks(
  { clusters, clusterSets = [], lanes = [] }: StatusDocument,
  deadLetters: number | undefined,
  commands: OperatorCommands,
): OperatorTasks {
  const ofGuards = [...guardProblems()].flatMap(([name, { kind, text, command }]) => [
    listed(clusters, name, (cluster, service) => ({
      kind,
      text: `${cluster} ${service}: ${text}`,
      command: commands[command](cluster, service),
    })),
    listed(clusterSets, name, (set, service) => ({
      kind,
      text: `cluster set ${set} ${service}: ${text}`,
      command: commands.explainFleet(set, service),
    })),
  ])
  const unwritten = listed(clusterSets, 'unwritten', (set, service) => ({
    kind: 'import',
    text: `cluster set ${set} ${service}: an import is not written`,
    command: commands.explainFleet(set, service),
  }))
  const kinds = [...ofGuards, unwritten]
  const tasks = kinds.flatMap((kind) => kind.tasks)
  const total = kinds.reduce((sum, kind) => sum + kind.total, 0)
  const letters = lettersOf(deadLetters, () => commands.listDeadLetters(lanes))
  return { tasks: [...tasks, ...letters], more: total - tasks.length }
}

interface Listed {
  readonly total: number
  readonly tasks: readonly OperatorTask[]
}

function listed(
  all: readonly ({ readonly name: string } & GuardStatus)[],
  problem: string,
  task: (name: string, service: string) => OperatorTask,
): Listed {
  const lists = all.flatMap(({ name, problems }) => {
    const list = problems?.[problem]
    return list === undefined ? [] : [{ name, ...list }]
  })
  const named = lists.flatMap(({ name, services }) => services.map((service) => [name, service] as const))
  return {
    total: lists.reduce((sum, { total }) => sum + total, 0),
    tasks: named.slice(0, MAX_OF_KIND).map(([name, service]) => task(name, service)),
  }
}

function lettersOf(count: number | undefined, command: () => string): OperatorTask[] {
  if (count === undefined || count === 0) return []
  const text = count === 1 ? '1 dead letter: a key was given up' : `${count} dead letters: keys were given up`
  return [{ kind: 'dead letters', text, command: command() }]
}

/** What the commands of an operator need to know of the run that they are about. */
export interface CommandContext {
  readonly settings: Pick<Settings, 'mode' | 'managedBy'>
  /** Files that were named by flags; default: those that every command finds itself. */
  readonly kubeconfig?: readonly string[]
  /** URL of the run's `/status`, as far as it is served by now. */
  readonly relay?: () => string | undefined
  readonly sets?: readonly ClusterSet[]
}

export type OperatorCommands = ReturnType<typeof createOperatorCommands>

const ALL_NAMESPACES = '*'
const NO_SET = { members: [], namespaces: [ALL_NAMESPACES] }

/** Commands for an operator, ready to be typed. Services are named `namespace/name`. */
export function createOperatorCommands({
  settings,
  kubeconfig = [],
  relay = () => undefined,
  sets = [],
}: CommandContext) {
  const files = kubeconfig.flatMap((file) => ['--kubeconfig', file])
  const usual = parseSettings({})
  const mode = flagOf('--mode', settings.mode, usual.mode)
  const managedBy = flagOf('--managed-by', settings.managedBy, usual.managedBy)
  /** Names the run, whose settings the command takes then, or the settings themselves. */
  const ofRun = (): readonly string[] => {
    const url = relay()
    return url === undefined ? [...mode, ...managedBy] : ['--relay', url]
  }
  return {
    /** Releases the held plan of a Service. */
    release: (cluster: string, service: string): string =>
      lineOf('release', ...files, '--context', cluster, ...managedBy, service),
    explain: (cluster: string, service: string): string =>
      lineOf('explain', ...files, '--context', cluster, ...ofRun(), service),
    explainFleet(name: string, service: string): string {
      // A run that serves its settings names the members, too.
      const members = relay() === undefined ? memberFlags(sets.find((set) => set.name === name)) : []
      return lineOf('explain', ...files, '--fleet', name, ...members, ...ofRun(), service)
    },
    listDeadLetters(lanes: readonly LaneStatus[]): string {
      const url = relay()
      const queues = new Set(lanes.flatMap(({ deadLetters = [] }) => deadLetters))
      const from = url === undefined ? [...queues].flatMap((queue) => ['--queue', queue]) : ['--relay', url]
      return lineOf('dead-letters', 'list', ...from)
    },
  }
}

const flagOf = (flag: string, value: string, usual: string): readonly string[] =>
  value === usual ? [] : [flag, value]

/** Returns the flags that make the set as `run` has it. */
const memberFlags = ({
  members,
  namespaces,
  clusterSelection = false,
}: Pick<ClusterSet, 'members' | 'namespaces' | 'clusterSelection'> = NO_SET): readonly string[] => [
  ...members.flatMap(({ cluster }) => ['--context', cluster]),
  ...members.flatMap(({ cluster, id }) => (id === cluster ? [] : ['--fleet-id', `${cluster}=${id}`])),
  ...members.flatMap(({ cluster, role }) => (role === 'both' ? [] : ['--fleet-role', `${cluster}=${role}`])),
  ...(namespaces.join() === ALL_NAMESPACES ? [] : ['--fleet-namespaces', namespaces.join()]),
  ...(clusterSelection ? ['--fleet-cluster-selection'] : []),
  ...members.flatMap(({ cluster, properties = {} }) =>
    Object.entries(properties).flatMap(([name, value]) => [
      '--fleet-property',
      `${cluster}=${name}=${value}`,
    ]),
  ),
]

const lineOf = (...words: readonly string[]): string => ['sliceflow', ...words.map(shellWord)].join(' ')
