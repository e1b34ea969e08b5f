import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { readEventStream } from '../../../test/support/event-stream.ts'

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url))

it('begins once its page is open, and shows its steps there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-'))
  const demo = spawn(execPath, [MAIN, 'demo', '--console'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // What it leaves when it is killed goes with the folder.
    env: { ...process.env, TMPDIR: folder },
  })
  onTestFinished(async () => {
    demo.kill('SIGKILL')
    await once(demo, 'close')
    await rm(folder, { recursive: true })
  })
  let reported = ''
  demo.stdout.on('data', (chunk: Buffer) => {
    reported += chunk
  })
  const printed = () => /open (http:\S+\/)#(\S+)\/shop\/web/.exec(reported)
  // A busy machine takes long to start it.
  await expect.poll(printed, { timeout: 40_000 }).not.toBeNull()
  const [, url = '', cluster = ''] = printed() ?? []
  expect(reported).not.toContain('a Service "web"')

  const seen = new Set<string>()
  for await (const { name, data } of readEventStream(`${url}events?cluster=${cluster}&service=shop/web`)) {
    if (name === 'events') seen.add(data.events[0].kind)
    if (name === 'slices' && data.endpoints?.r === 120) seen.add('120 endpoints')
    if (name === 'figures' && data.written > 100 && data.clusters[0].state === 'reachable') seen.add(name)
    if (seen.has('write') && seen.has('120 endpoints') && seen.has('figures')) break
  }
  expect(reported).toContain('a Service "web"')
})
