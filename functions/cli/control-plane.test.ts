import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { controlPlaneCommand } from './control-plane.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'control-plane-command-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

function run(...args: string[]): Promise<unknown> {
  const quiet = { writeErr: () => undefined }
  return controlPlaneCommand().exitOverride().configureOutput(quiet).parseAsync(args, { from: 'user' })
}

test('serves, tells the URL and the kubeconfig, and ends with 0 on SIGTERM', async () => {
  const kubeconfig = join(folder, 'admin.kubeconfig')
  const exited = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
  const ready = Promise.withResolvers<string>()
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    ready.resolve(String(text))
    return true
  })
  const running = run('--kubeconfig-out', kubeconfig, '--data', join(folder, 'data'))
  const line = await ready.promise
  expect(line).toMatch(/^ready: https:\/\/127\.0\.0\.1:\d+ kubeconfig /)
  expect(readFileSync(kubeconfig, 'utf8')).toContain(/https:\S+/.exec(line)?.[0])
  process.emit('SIGTERM', 'SIGTERM')
  await running
  expect(exited).toHaveBeenCalledWith(0)
  expect(existsSync(join(folder, 'data', 'objects.sqlite'))).toBe(true)
})

test('says what is wrong with a kubeconfig that cannot be written', async () => {
  await expect(run('--kubeconfig-out', join(folder, 'missing', 'file'))).rejects.toThrow(
    /^failed to write the kubeconfig .*missing/,
  )
})

test('refuses a port that is none and resources that it does not know', async () => {
  await expect(run('--port', '70000')).rejects.toThrow('It must be 0 to 65535')
  await expect(run('--resources', 'all')).rejects.toThrow('Allowed choices are generic, services')
})
