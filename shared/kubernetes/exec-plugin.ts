import { execFile } from 'node:child_process'
import type { User } from '@kubernetes/client-node'

/**
 * Configuration of an exec plugin in a kubeconfig (client.authentication.k8s.io), as far as it is used here.
 */
interface ExecConfig {
  readonly command?: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
}

interface ExecCredential {
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
  }
}

/** Most characters that are quoted of a plugin's failure. */
const TOLD_CHARACTERS = 1_000

/** Returns the exec plugin of a user, if it has one. */
export function execOf({ exec, authProvider }: User): ExecConfig | undefined {
  return exec ?? authProvider?.config?.exec
}

/**
 * Returns the user with the answer of its plugin in place of the plugin. It does not use client-node's own
 * way, which can neither end a plugin that hangs nor bound what it writes.
 * @param signal ends the plugin
 */
export async function runExecPlugin(user: User, config: ExecConfig, signal?: AbortSignal): Promise<User> {
  if (!config.command) throw new Error('its exec plugin has no command')
  const text = await outputOf(config.command, config, signal)
  const { token, clientCertificateData: cert, clientKeyData: key } = parse(config.command, text).status ?? {}
  return {
    ...user,
    exec: undefined,
    authProvider: undefined,
    ...(token && { token }),
    ...(cert && { certData: Buffer.from(cert).toString('base64') }),
    ...(key && { keyData: Buffer.from(key).toString('base64') }),
  }
}

function outputOf(
  command: string,
  { args, env }: ExecConfig,
  signal: AbortSignal | undefined,
): Promise<string> {
  const more = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]))
  const options = { env: { ...process.env, ...more } }
  return new Promise((resolve, reject) => {
    const child = execFile(command, args ?? [], options, (cause, stdout, stderr) => {
      if (cause === null) return resolve(stdout)
      const told = (stderr.trim() || cause.message).slice(0, TOLD_CHARACTERS)
      reject(new Error(`its exec plugin ${command} failed: ${told}`, { cause }))
    })
    // One that asks a person gets no answer, and does not wait for it.
    child.stdin?.end()
    // Node's own `signal` sends SIGTERM, which a plugin may ignore.
    signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
    if (signal?.aborted) child.kill('SIGKILL')
  })
}

/** @throws Error without the output, which may hold a token */
function parse(command: string, text: string): ExecCredential {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null) return answer
  } catch {
    // Told below.
  }
  throw new Error(`its exec plugin ${command} answered with something else than an ExecCredential in JSON`)
}
