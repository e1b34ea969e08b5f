import type { CommandEntry } from '../../command-entry.ts'

export const cost: CommandEntry = {
  name: 'cost',
  group: 'Plan and estimate',
  summary: 'show what a month of a deployment on AWS costs, line by line, by list prices',
  details: 'Each line has its formula and the date of its prices.',
  load: async () => (await import('./command.ts')).costCommand(),
}
