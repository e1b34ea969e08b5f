import { describe, expect, it, vi } from 'vitest'
import { UsageError } from '../../usage.ts'
import { deadLettersCommand } from './command.ts'
import { LETTER_CLASSES } from './filter.ts'

const QUEUE = ['--queue', 'http://127.0.0.1:1/000000000000/dead']

async function run(...args: string[]): Promise<unknown> {
  const command = deadLettersCommand()
  for (const one of [command, ...command.commands])
    one.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} })
  return command.parseAsync(args, { from: 'user' }).catch((error: unknown) => error)
}

describe('the command dead-letters', () => {
  it('drops nothing unless it is told what', async () => {
    const error = await run('drop', ...QUEUE)
    expect(error).toBeInstanceOf(UsageError)
    expect(error).toHaveProperty('message', expect.stringContaining('--all'))
  })

  it.each([
    [['list', '--queue', 'live'], '"live" is no URL'],
    [['redrive', ...QUEUE, '--to', 'live'], '"live" is no URL'],
    [['list', ...QUEUE, '--class', 'Nonsense'], '"Nonsense" is none of Forbidden, '],
  ])('refuses %j', async (args, message) => {
    const error = await run(...args)
    expect(error).toBeInstanceOf(UsageError)
    expect(error).toHaveProperty('message', expect.stringContaining(message))
  })

  it.each([[['list']], [['redrive', ...QUEUE, '--rate', '0']], [['redrive', ...QUEUE, '--rate', 'x']]])(
    'does not understand %j',
    async (args) => {
      expect(await run(...args)).toHaveProperty('exitCode', 1)
    },
  )

  it('says in its help which classes there are', () => {
    const writeOut = vi.fn<(text: string) => void>()
    deadLettersCommand().configureOutput({ writeOut }).outputHelp()
    const help = writeOut.mock.calls.join('')
    for (const name of LETTER_CLASSES) expect(help).toContain(name)
  })
})
