import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { beforeEach, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startSliceflowProcess } from '../../../test/support/sliceflow-process.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

it('ends within 10 s of SIGTERM while an exec plugin hangs, and ends the plugin', async () => {
  const [plugin, started] = [join(folder, 'plugin.cjs'), join(folder, 'started')]
  await writeFile(
    plugin,
    `require('fs').writeFileSync(${JSON.stringify(started)}, String(process.pid)); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`,
  )
  const kubeconfig = join(folder, 'config')
  const apiVersion = 'client.authentication.k8s.io/v1'
  const exec = { apiVersion, command: execPath, args: [plugin], interactiveMode: 'Never' }
  await writeFile(
    kubeconfig,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'me', user: { exec } }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'me' } }],
    }),
  )
  const run = startSliceflowProcess({ kubeconfig })
  const pid = (): Promise<number> => readFile(started, 'utf8').then(Number, () => 0)
  await expect.poll(pid).toBeGreaterThan(0)
  const asked = performance.now()
  run.kill('SIGTERM')
  expect(await run.ended).toBe(0)
  expect(performance.now() - asked).toBeLessThan(10_000)
  const ofPlugin = await pid()
  await expect.poll(() => isRunning(ofPlugin)).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
