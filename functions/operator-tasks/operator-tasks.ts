import type { ServiceList, StatusDocument } from '../local/index.ts'
import type { OperatorCommands } from './commands.ts'

/** Something that waits for a person, and the command that answers it. */
export interface OperatorTask {
  readonly kind: 'held plan' | 'too large' | 'fight' | 'import' | 'dead letters'
  /** One line: whom it is about, and what is so. */
  readonly text: string
  readonly command: string
}

export interface OperatorTasks {
  /** Held plans first, then Services that are too large, fights, imports and dead letters. */
  readonly tasks: readonly OperatorTask[]
  /** Number of those that are not among these. */
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
  const kinds = [
    listed(clusters, 'held', (cluster, service) => ({
      kind: 'held plan',
      text: `${cluster} ${service}: a plan is held (sliceflow explain shows it)`,
      command: commands.release(cluster, service),
    })),
    listed(clusters, 'oversized', (cluster, service) => ({
      kind: 'too large',
      text: `${cluster} ${service}: nothing is written, as it would have too many endpoints`,
      command: commands.explain(cluster, service),
    })),
    listed(clusters, 'fights', (cluster, service) => ({
      kind: 'fight',
      text: `${cluster} ${service}: somebody undoes every repair of its slices`,
      command: commands.explain(cluster, service),
    })),
    listed(clusterSets, 'fights', (set, service) => ({
      kind: 'fight',
      text: `cluster set ${set} ${service}: somebody undoes every repair of its imports`,
      command: commands.explainFleet(set, service),
    })),
    listed(clusterSets, 'unwritten', (set, service) => ({
      kind: 'import',
      text: `cluster set ${set} ${service}: an import is not written`,
      command: commands.explainFleet(set, service),
    })),
  ]
  const tasks = kinds.flatMap((kind) => kind.tasks)
  const total = kinds.reduce((sum, kind) => sum + kind.total, 0)
  const letters = lettersOf(deadLetters, () => commands.listDeadLetters(lanes))
  return { tasks: [...tasks, ...letters], more: total - tasks.length }
}

interface Listed {
  readonly total: number
  readonly tasks: readonly OperatorTask[]
}

type Kind = 'held' | 'oversized' | 'fights' | 'unwritten'

function listed(
  all: readonly ({ readonly name: string } & { readonly [kind in Kind]?: ServiceList })[],
  kind: Kind,
  task: (name: string, service: string) => OperatorTask,
): Listed {
  const named = all.flatMap((one) =>
    (one[kind]?.services ?? []).map((service) => [one.name, service] as const),
  )
  return {
    total: all.reduce((sum, one) => sum + (one[kind]?.total ?? 0), 0),
    tasks: named.slice(0, MAX_OF_KIND).map(([name, service]) => task(name, service)),
  }
}

function lettersOf(count: number | undefined, command: () => string): OperatorTask[] {
  if (count === undefined || count === 0) return []
  const text = count === 1 ? '1 dead letter: a key was given up' : `${count} dead letters: keys were given up`
  return [{ kind: 'dead letters', text, command: command() }]
}
