import type { Engine, ObjectProblem, Outcome } from '../../../shared/views/index.ts'
import type { DocumentFormat } from '../../options/common.ts'
import { entryText } from '../../output/print-report.ts'

/** Receiver of what a cluster's changes gave. */
export interface ViewsOutput {
  /** Takes first what was there at the start, then each change. */
  show(outcome: Outcome): void
  close(): Promise<void>
}

/** The lines for an event; none of a table where it changed nothing. */
export type FormatOutcome = (event: number, outcome: Outcome) => string

/** Printed once: an empty table could be taken for a command that does not work. */
export const NOTHING_SHOWN = 'nothing to show: no object that was read makes a view of this spec\n'

/** Prints lines on standard output. */
export function printedOutput(format: FormatOutcome): ViewsOutput {
  let event = 0
  return {
    show(outcome) {
      const isFirst = event === 0
      const text = format(event++, outcome)
      process.stdout.write(text)
      if (isFirst && text === '') process.stderr.write(NOTHING_SHOWN)
    },
    close: async () => {},
  }
}

/** Makes the format of programs: a document for each event. */
export const documentFormat =
  (format: DocumentFormat): FormatOutcome =>
  (event, { pipeline, view, problems }) => {
    const changes = view.map(({ type, object }) => ({ type, object }))
    return entryText({ event, pipeline, view: changes, errors: problems.map(problemText) }, format)
  }

/** Describes one problem in one line. */
export const problemText = ({ controller, step, objects, message }: ObjectProblem): string =>
  [controller, step, objects.join(', '), message].filter((part) => part !== '').join(': ')

/**
 * Explains each view object of this namespace and name in a line.
 * @param reference `namespace/name`, or `name` where it has no namespace
 * @throws Error if there is none
 */
export function explanations(engine: Engine, reference: string): string {
  const slash = reference.indexOf('/')
  const found = engine.explain({
    namespace: slash < 0 ? '' : reference.slice(0, slash),
    name: reference.slice(slash + 1),
  })
  if (found.length === 0) throw new Error(`there is no view object ${reference}`)
  return found.map((explanation) => `${JSON.stringify(explanation)}\n`).join('')
}
