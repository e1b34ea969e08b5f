import { describe, expect, it, onTestFinished } from 'vitest'
import { parseSettings } from '../../../shared/settings/index.ts'
import { createStatusRecord, type StatusDocument, startEmbeddedQueues } from '../../local/index.ts'
import { ranBy, runSliceflow } from '../../program.fixtures.ts'
import { serveStatus } from '../../relay.fixtures.ts'
import { UsageError } from '../../usage.ts'
import { LETTER_CLASSES } from './scan.ts'

const QUEUE = ['--queue', 'http://127.0.0.1:1/000000000000/dead']

const run = (...args: string[]): Promise<unknown> =>
  ranBy('dead-letters', ...args).catch((error: unknown) => error)

describe('the command dead-letters', () => {
  it.each([
    [
      ['list', '--relay', 'here'],
      '--relay: "here" is neither the URL of a run, such as http://127.0.0.1:9090, nor the directory',
    ],
    [['drop', ...QUEUE, '-A'], 'select dead letters with --cluster, --namespace or --class'],
  ])('refuses %j', async (args, message) => {
    const error = await run(...args)
    expect(error).toBeInstanceOf(UsageError)
    expect(error).toHaveProperty('message', expect.stringContaining(message))
  })

  describe('of a run', () => {
    it('lists the letters of all lanes', async () => {
      const queues = await startEmbeddedQueues(parseSettings({}))
      onTestFinished(() => queues.stop())
      const { opened, document } = createStatusRecord(['east'])
      opened(queues.lanes)
      for (const [lane, failureClass] of [
        ['live', 'Forbidden'],
        ['sweep', 'Conflict'],
      ] as const)
        await queues.lanes[lane].deadLetters.send({
          body: '{}',
          failureClass,
          reason: 'no',
          attempts: 3,
          sentTimestamp: 0,
          messageId: '1',
          sourceQueueArn: 'arn',
        })
      const { stdout } = await ranBy('dead-letters', 'list', '--relay', await serveStatus(document))
      expect(stdout).toMatch(/Forbidden/)
      expect(stdout).toMatch(/Conflict/)
    })

    it.each<[string, (() => StatusDocument) | undefined, string]>([
      ['without a status', undefined, 'does not report its queues: give the URL of each lane as --queue'],
      [
        'whose queues have none',
        () => ({
          version: 1,
          startedAt: '2026-03-01T12:00:00Z',
          clusters: [],
          lanes: [{ lane: 'live', queue: 'http://127.0.0.1:1/live' }],
        }),
        'its queues have no dead letters, as they have no redrive policy',
      ],
    ])('%s fails, and says so', async (_, status, message) => {
      const error = await run('drop', '--all', '--relay', await serveStatus(status))
      expect(error).toHaveProperty('message', expect.stringContaining(message))
    })
  })

  it('says in its help which classes there are', async () => {
    const { stdout: help } = await runSliceflow('dead-letters', '--help')
    for (const name of LETTER_CLASSES) expect(help).toContain(name)
  })
})
