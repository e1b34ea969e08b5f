import type { DeadLetterCount, StatusDocument } from '../../../../local/index.ts'
import { type OperatorCommands, operatorTasks } from '../../../../operator-tasks/index.ts'
import type { WatchView } from './watch-lines.ts'

export interface WatchReaderOptions {
  readonly status: () => StatusDocument
  /** Clusters that cannot be reached for now. */
  readonly unreachable: () => readonly string[]
  readonly letters: Pick<DeadLetterCount, 'read'>
  readonly commands: OperatorCommands
}

/** What the screen shows of a run, but for what the screen itself remembers. */
export type WatchReading = Pick<WatchView, 'status' | 'unreachable' | 'tasks'>

/** Creates what reads a run for its screen. Dead letters are shown once the queues have reported them. */
export function createWatchReader({
  status,
  unreachable,
  letters,
  commands,
}: WatchReaderOptions): () => WatchReading {
  let deadLetters: number | undefined
  return () => {
    void letters.read().then((count) => {
      deadLetters = count
    })
    const document = status()
    return {
      status: document,
      unreachable: unreachable(),
      tasks: operatorTasks(document, deadLetters, commands),
    }
  }
}
