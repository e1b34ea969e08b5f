import type { Command } from 'commander'
import { createCommand } from '../../options/create-command.ts'
import { type FlagValues, flag, port } from '../../options/flags.ts'

const FLAGS = {
  keep: flag('--keep', 'leave it running at the end, for kubectl'),
  console: flag(
    '--console [port]',
    'also show it on a page, on this port of 127.0.0.1 or a free one; begins when the page is opened, and keeps running as with --keep',
    { parse: port, preset: 0 },
  ),
}
export type DemoFlags = FlagValues<typeof FLAGS>

export const demoCommand = (): Command =>
  createCommand({
    help: '\nExits with 0 only if every slice is what an independent computation expects. Takes less than 30 s.',
    groups: { FLAGS },
  })
