import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { KubeconfigError, loadClusters } from '../index.ts'

const CONFIG = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'eu',
  clusters: [{ name: 'c-eu', cluster: { server: 'https://eu.example:6443/prefix' } }],
  contexts: [{ name: 'eu', context: { cluster: 'c-eu', user: 'me' } }],
}

describe('a kubeconfig with an exec plugin', () => {
  let folder: string
  let file: string

  beforeEach(async () => {
    folder = temporaryFolder()
    file = join(folder, 'config')
  })

  /** Loads credentials with a plugin that is a script of Node's. */
  async function loadWith(script: string, env: Record<string, string> = {}) {
    const command = join(folder, 'plugin.cjs')
    await writeFile(command, script)
    const list = Object.entries(env).map(([name, value]) => ({ name, value }))
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
      command: execPath,
      args: [command, 'get-token'],
      env: list,
    }
    await writeFile(file, stringify({ ...CONFIG, users: [{ name: 'me', user: { exec } }] }))
    const [connection] = await loadClusters(file)
    if (connection === undefined) throw new Error('no cluster was loaded')
    return connection
  }

  it('gives what the plugin answers', async () => {
    const status =
      '{ token: process.argv[2] + process.env.WHO, clientCertificateData: "CERT", clientKeyData: "KEY" }'
    const connection = await loadWith(
      `console.log(JSON.stringify({ kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1", status: ${status} }))`,
      { WHO: '-me' },
    )
    const { headers, cert, key } = await connection.credentials()
    expect(headers).toEqual({ authorization: 'Bearer get-token-me' })
    expect([String(cert), String(key)]).toEqual(['CERT', 'KEY'])
  })

  it('runs the plugin once for each time that credentials are asked for', async () => {
    const runs = join(folder, 'runs')
    const script = `require('fs').appendFileSync(${JSON.stringify(runs)}, 'x')
      console.log('{ "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": { "token": "t" } }')`
    const connection = await loadWith(script)
    await connection.credentials()
    expect(await readFile(runs, 'utf8')).toBe('x')
    await connection.credentials()
    expect(await readFile(runs, 'utf8')).toBe('xx')
  })

  it('reports what a plugin says that fails, in part, and never what it answered', async () => {
    const failing = await loadWith('console.error("log in first ".repeat(1000)); process.exitCode = 3')
    const error = await failing.credentials().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(KubeconfigError)
    expect(String(error)).toMatch(/credentials of context "eu" cannot be loaded: .*log in first/)
    expect(String(error).length).toBeLessThan(1_500)
    expect(error).toHaveProperty('cause.message', expect.stringContaining('exec plugin'))
    const odd = await loadWith('console.log("secret-1")')
    const second = await odd.credentials().catch(String)
    expect(second).toMatch(/something else than an ExecCredential/)
    expect(second).not.toContain('secret-1')
  })

  it('is no plugin of an auth-provider, which kubectl does not run either', async () => {
    const user = { 'auth-provider': { name: 'exec', config: { command: execPath } } }
    await writeFile(file, stringify({ ...CONFIG, users: [{ name: 'me', user }] }))
    const [connection] = await loadClusters(file)
    await expect(connection?.credentials()).rejects.toThrow('there is no auth-provider "exec"')
  })

  it('reports how to install a plugin that is not there, and writes nothing that a terminal obeys', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './acme-login',
      interactiveMode: 'Never',
      installHint: '\u001b[1mbrew install acme',
    }
    await writeFile(file, stringify({ ...CONFIG, users: [{ name: 'me', user: { exec } }] }))
    const [connection] = await loadClusters(file)
    await expect(connection?.credentials()).rejects.toThrow(
      `its exec plugin ${join(folder, 'acme-login')} is not there or cannot be run (ENOENT): U+001b[1mbrew install acme`,
    )
  })

  it('is asked again once its credentials have expired', async () => {
    const status = '{ "token": "t", "expirationTimestamp": "2040-01-01T00:00:00Z" }'
    const connection = await loadWith(
      `console.log('{ "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": ${status} }')`,
    )
    expect(await connection.credentials()).toMatchObject({ expiresAt: Date.UTC(2040, 0) })
  })

  it.each([
    ['null', /something else than an ExecCredential in JSON/],
    ['{}', /answered with another kind or version/],
    [
      '{ "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1" }',
      /answered with no credentials/,
    ],
    ...['{ "token": "t", "expirationTimestamp": "soon" }', '{ "token": 5 }'].map(
      (status): [string, RegExp] => [
        `{ "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": ${status} }`,
        /answered with (an expirationTimestamp|a token) that is no/,
      ],
    ),
  ])('refuses an answer without credentials: %s', async (answer, message) => {
    const connection = await loadWith(`console.log(${JSON.stringify(answer)})`)
    await expect(connection.credentials()).rejects.toThrow(message)
  })

  it.each(['null', '7', ''])('refuses an answer that is no ExecCredential: %j', async (answer) => {
    const connection = await loadWith(`console.log(${JSON.stringify(answer)})`)
    await expect(connection.credentials()).rejects.toThrow(/something else than an ExecCredential in JSON/)
  })

  it('reports how a plugin ended that said nothing', async () => {
    const connection = await loadWith('process.exitCode = 3')
    await expect(connection.credentials()).rejects.toThrow(/exec plugin .* failed: Command failed/)
  })

  it('gives no answer to a plugin that asks a person', async () => {
    const connection = await loadWith(`process.stdin.resume()
      process.stdin.on('end', () => console.log('{ "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": { "token": "t" } }'))`)
    expect((await connection.credentials()).headers).toEqual({ authorization: 'Bearer t' })
  })

  it('needs a command, and neither arguments nor environment', async () => {
    const use = (exec: object) =>
      writeFile(file, stringify({ ...CONFIG, users: [{ name: 'me', user: { exec } }] }))
    const common = {
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
      args: null,
      env: null,
    }
    await use(common)
    const [connection] = await loadClusters(file)
    await expect(connection?.credentials()).rejects.toThrow('its exec plugin has no command')
    const command = join(folder, 'plugin')
    await writeFile(
      command,
      '#!/bin/sh\necho \'{ "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": { "token": "t" } }\'\n',
      { mode: 0o755 },
    )
    await use({ ...common, command })
    expect((await connection?.credentials())?.headers).toEqual({ authorization: 'Bearer t' })
  })

  it('ends a plugin that hangs, whatever signals it ignores', async () => {
    const pidFile = join(folder, 'pid')
    const hangs = `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))
      process.on('SIGTERM', () => {})
      setInterval(() => {}, 1000)`
    const connection = await loadWith(hangs)
    const ending = new AbortController()
    const outcome = connection.credentials(ending.signal).catch((thrown: unknown) => thrown)
    await expect.poll(() => readFile(pidFile, 'utf8').catch(() => '')).not.toBe('')
    const pid = Number(await readFile(pidFile, 'utf8'))
    ending.abort()
    expect(await outcome).toBeInstanceOf(KubeconfigError)
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it('ends a plugin that nobody waits for any more when it begins', async () => {
    const connection = await loadWith('setInterval(() => {}, 1000)')
    expect(await connection.credentials(AbortSignal.abort()).catch(String)).toMatch(/exec plugin .* failed/)
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
