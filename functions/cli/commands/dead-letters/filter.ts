import { FAILURE_CLASSES } from '../../../../shared/queue/consumer/index.ts'
import { UNFINISHED } from '../../../../shared/queue/index.ts'
import type { QueuedLetter } from './scan.ts'

/** Every class that a letter can have. */
export const LETTER_CLASSES: readonly string[] = [...FAILURE_CLASSES, UNFINISHED]

export interface LetterFilter {
  /** Default: any, and letters without one. */
  readonly cluster?: string
  /** Default: any, and letters without one. */
  readonly namespace?: string
  /** Default: any. */
  readonly failureClass?: string
}

export const matches =
  ({ cluster, namespace, failureClass }: LetterFilter) =>
  (letter: QueuedLetter): boolean =>
    (cluster === undefined || letter.message?.cluster === cluster) &&
    (namespace === undefined || letter.message?.namespace === namespace) &&
    (failureClass === undefined || letter.failureClass === failureClass)
