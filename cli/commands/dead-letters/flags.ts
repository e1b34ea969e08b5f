import { NAMESPACES, outputFlag, queueUrl, stackFlag } from '../../options/common.ts'
import { type FlagValues, flag, repeated } from '../../options/flags.ts'

/** What list, redrive and drop have in common. */
export const FLAGS = {
  ...NAMESPACES,
  queue: repeated('--queue <url>', 'a lane’s queue or its dead-letter queue; may be repeated', {
    parse: queueUrl,
    defaultText: 'the lanes that --relay and --stack report',
  }),
  relay: flag(
    '--relay <url>',
    'a run, by the URL of its --metrics-port or by its --state-dir: the queues of all of its lanes',
  ),
  stack: stackFlag,
  cluster: flag('--cluster <name>', 'only dead letters of this cluster, by its name in messages'),
  force: flag('--force', 'take a queue that is the dead-letter target of no other for a dead-letter queue'),
  class: flag('--class <class>', 'only dead letters of this class'),
  output: outputFlag('what to print on standard output'),
}
export type LetterFlags = FlagValues<typeof FLAGS>
