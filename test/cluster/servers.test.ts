import { spawn } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createRawClient } from '../support/raw-client.ts'

const PARENT = `
import { startApiServer } from ${JSON.stringify(new URL('./api-server.ts', import.meta.url).href)}
const server = await startApiServer()
console.log(server.folder)
setInterval(() => {}, 1000)
`

it('the servers of a process that is killed are killed, and their folder is removed', async () => {
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  const parent = spawn(execPath, ['--input-type=module', '--eval', PARENT], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const folder = await firstLine(parent.stdout)
  const kubeconfig = await readFile(join(folder, 'kubeconfig'), 'utf8')
  const client = createRawClient(kubeconfig)
  expect((await client.get('/readyz')).status).toBe(200)

  parent.kill('SIGKILL')

  await expect.poll(() => exists(folder)).toBe(false)
  await expect(client.get('/readyz')).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/)
  client.close()
})

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  throw new Error('the process ended before it said anything')
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
