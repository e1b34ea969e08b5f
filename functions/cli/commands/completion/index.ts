import type { CommandEntry } from '../../command-entry.ts'

export const completion: CommandEntry = {
  name: 'completion',
  group: 'Other',
  summary: 'print the script with which a shell completes commands and flags',
  details: 'For bash, zsh and fish; it completes contexts as well.',
  load: async (commands) => (await import('./command.ts')).completionCommand(commands),
}
