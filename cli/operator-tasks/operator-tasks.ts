import { guardProblems } from '../../shared/reconciler/index.ts'
import type { GuardStatus, StatusDocument } from '../local/index.ts'
import type { OperatorCommands } from './commands.ts'

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
