import { Command, Option } from 'commander'
import { parsePort } from '../../options/port.ts'
import { helpText } from '../../output/help-text.ts'
import { untilTerminated } from '../../signals.ts'

/** Makes the `demo` command: it shows the whole path on embedded parts, as it happens. */
export function demoCommand(): Command {
  return new Command()
    .option('--keep', 'leave it running at the end, for kubectl', false)
    .addOption(
      new Option(
        '--console [port]',
        'also show it on a page, on this port of 127.0.0.1 or a free one; begins when the page is opened, and keeps running as with --keep',
      )
        .argParser(parsePort)
        .preset(0),
    )
    .addHelpText(
      'after',
      helpText(
        '\nExits with 0 only if every slice is what an independent computation expects. Takes less than 30 s.',
      ),
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
