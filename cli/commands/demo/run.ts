import { runDemo } from '../../demo/index.ts'
import { untilTerminated } from '../../signals.ts'
import { terminalOf } from '../../terminal/index.ts'
import type { DemoFlags } from './command.ts'

/** Shows the whole path on embedded parts, as it happens. */
export const runDemoCommand = ({ keep, console }: DemoFlags): Promise<void> =>
  runDemo({
    write: (text) => process.stdout.write(text),
    terminal: terminalOf(process.stdout),
    ...((keep || console !== undefined) && { keep: untilTerminated }),
    ...(console !== undefined && { console }),
  })
