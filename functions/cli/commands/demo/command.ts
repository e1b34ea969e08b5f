import { Command } from 'commander'
import { untilTerminated } from '../../signals.ts'

/** The `demo` command: the whole path on embedded parts, told as it happens. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'show the whole path on embedded parts, told as it happens: no cluster and no AWS account needed',
    )
    .option('--keep', 'leave it running at the end, for kubectl', false)
    .addHelpText(
      'after',
      '\nEnds with 0 only if every slice is what an independent computation says. Takes less than 30 s.',
    )
    .action(async ({ keep }: { keep: boolean }) => {
      const { runDemo } = await import('../../../demo/index.ts')
      await runDemo({
        write: (text) => process.stdout.write(text),
        ...(keep && { keep: untilTerminated }),
      })
    })
}
