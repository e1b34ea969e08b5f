import { exec, execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const deployment = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, ...args])

it.each([
  [['nothing'], "unknown command 'nothing'"],
  [['synth', '--nothing'], "unknown option '--nothing'"],
  [['deploy', '--tag'], 'argument missing'],
  [['deploy', '--cluster', 'eu-1=https://10.0.0.1'], 'a URL alone is not enough'],
])('says what is wrong with %j, and ends with 2', async (args, why) => {
  await expect(deployment(...args)).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
})

it('names the settings that may be set, and not what the deployment sets itself', async () => {
  const { stdout } = await deployment('deploy', '--help')
  expect(stdout).toContain('relayShards')
  expect(stdout).not.toContain('stateDir')
})

it('says nothing when its reader has seen enough', async () => {
  const piped = `"${process.execPath}" "${MAIN}" synth --help | head -n 1`
  const { stdout, stderr } = await promisify(exec)(piped)
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^Usage: deployment synth/),
    stderr: '',
  })
})
