import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

it('ends by SIGTERM while it starts: process 1 of a container gets only signals that it asks for', async () => {
  // The search for clusters waits for its answer.
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const child = spawn(execPath, [MAIN], {
    stdio: 'ignore',
    env: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      SLICEFLOW_CLUSTERS: '[{"kind":"discover","region":"eu-west-1","tagKey":"manage"}]',
      SLICEFLOW_LIVE_QUEUE_URL: 'http://127.0.0.1:9/1/live',
      SLICEFLOW_SWEEP_QUEUE_URL: 'http://127.0.0.1:9/1/sweep',
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close')
  await Promise.race([once(silent, 'connection'), ended])
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})
