import { Command, Option } from 'commander'
import { parsePort } from '../../options/port.ts'
import { untilTerminated } from '../../signals.ts'

/** Makes the `demo` command: it shows the whole path on embedded parts, as it happens. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'show the whole path on embedded parts, told as it happens: no cluster and no AWS account needed',
    )
    .option('--keep', 'leave it running at the end, for kubectl', false)
    .addOption(
      new Option(
        '--console [port]',
        'show it on a page, too, on this port of 127.0.0.1, or one that it picks; begins once the page is open, and leaves it running as --keep does',
      )
        .argParser(parsePort)
        .preset(0),
    )
    .addHelpText(
      'after',
      '\nEnds with 0 only if every slice is what an independent computation says. Takes less than 30 s.',
    )
    .action(async ({ keep, console }: { keep: boolean; console?: number }) => {
      const [{ runDemo }, { terminalOf }] = await Promise.all([
        import('../../../demo/index.ts'),
        import('../../../terminal/index.ts'),
      ])
      await runDemo({
        write: (text) => process.stdout.write(text),
        terminal: terminalOf(process.stdout),
        ...((keep || console !== undefined) && { keep: untilTerminated }),
        ...(console !== undefined && { console }),
      })
    })
}
