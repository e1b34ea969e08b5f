import { type ChildProcess, execFile } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'
import { isRecord, parseJson } from '../../values/index.ts'
import type { ExecConfig, KubeconfigCluster } from './kubeconfig-file.ts'

/** What a plugin answered. */
interface PluginCredentials {
  readonly token?: string
  readonly certificate?: { readonly cert: string; readonly key: string }
  /** In milliseconds since the epoch. */
  readonly expiresAt?: number
}

interface ExecCredential {
  readonly apiVersion?: string
  readonly kind?: string
  readonly status?: {
    readonly expirationTimestamp?: string
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
  }
}

/** Most characters that are quoted of a plugin's failure. */
const QUOTED_CHARACTERS = 1_000
const GROUP = 'client.authentication.k8s.io'
const API_VERSIONS: readonly string[] = [`${GROUP}/v1`, `${GROUP}/v1beta1`]
const INTERACTIVE_MODES: readonly string[] = ['Never', 'IfAvailable', 'Always']
/** Name of the cluster's extension that plugins are given. */
const CLUSTER_EXTENSION = `${GROUP}/exec`

/** @throws Error in words of the first rule of client-go's that is broken */
export function assertExecConfig({ command, apiVersion, env = [], ...config }: ExecConfig): void {
  if (!command) throw new Error('its exec plugin has no command')
  if (!API_VERSIONS.includes(apiVersion ?? ''))
    throw new Error(`the apiVersion of its exec plugin must be ${API_VERSIONS.join(' or ')}`)
  // v1beta1 is older than the field.
  const { interactiveMode = apiVersion === `${GROUP}/v1` ? '' : 'IfAvailable' } = config
  if (!INTERACTIVE_MODES.includes(interactiveMode))
    throw new Error(`the interactiveMode of its exec plugin must be one of ${INTERACTIVE_MODES.join(', ')}`)
  if (interactiveMode === 'Always')
    throw new Error('its exec plugin must ask a person (interactiveMode Always), and nobody answers here')
  if (env.some(({ name }) => !name)) throw new Error('an environment variable of its exec plugin has no name')
}

/**
 * Runs a plugin, as client-go does (plugin/pkg/client/auth/exec). It does not use client-node's own way,
 * which can neither end a plugin that hangs nor bound what it writes.
 * @param signal ends the plugin
 */
export async function runExecPlugin(
  config: ExecConfig,
  cluster: KubeconfigCluster,
  signal?: AbortSignal,
): Promise<PluginCredentials> {
  const { command = '', apiVersion = '' } = config
  const answer = parse(command, await outputOf(config, execInfo(config, cluster), signal))
  if (answer.kind !== 'ExecCredential' || answer.apiVersion !== apiVersion)
    throw new Error(`its exec plugin ${command} answered with another kind or version than ${apiVersion}`)
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = answer.status ?? {}
  if (!token && !cert && !key) throw new Error(`its exec plugin ${command} answered with no credentials`)
  if (!cert !== !key)
    throw new Error(`its exec plugin ${command} answered with only one of certificate and key`)
  if (token && typeof token !== 'string')
    throw new Error(`its exec plugin ${command} answered with a token that is no text`)
  const expiresAt = expirationTimestamp ? Date.parse(expirationTimestamp) : undefined
  // Otherwise it would run for each request.
  if (Number.isNaN(expiresAt))
    throw new Error(`its exec plugin ${command} answered with an expirationTimestamp that is no time`)
  return {
    ...(token && { token }),
    ...(cert && key && { certificate: { cert, key } }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

/** Describes the cluster to a plugin that wants it, under the names of `ExecCredential`. */
function execInfo({ apiVersion, provideClusterInfo }: ExecConfig, cluster: KubeconfigCluster): string {
  const file = cluster['certificate-authority']
  const data = file
    ? readFileSync(file).toString('base64')
    : cluster['certificate-authority-data']?.replace(/[\r\n]/g, '')
  const extension = cluster.extensions?.find(({ name }) => name === CLUSTER_EXTENSION)?.extension
  const described = {
    server: cluster.server,
    ...(cluster['tls-server-name'] && { 'tls-server-name': cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] && { 'insecure-skip-tls-verify': true }),
    ...(data && { 'certificate-authority-data': data }),
    ...(cluster['proxy-url'] && { 'proxy-url': cluster['proxy-url'] }),
    ...(cluster['disable-compression'] && { 'disable-compression': true }),
    config: extension ?? null,
  }
  const spec = { ...(provideClusterInfo && { cluster: described }), interactive: false }
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec })
}

/** Plugins that run. They end with this process, whatever they do with a signal. */
const running = new Set<ChildProcess>()
function endRunning(): void {
  for (const child of running) child.kill('SIGKILL')
}

function outputOf(
  { command = '', args = [], env = [], installHint }: ExecConfig,
  info: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const more = Object.fromEntries(env.map(({ name, value = '' }) => [name, value]))
  const options = { env: { ...process.env, ...more, KUBERNETES_EXEC_INFO: info } }
  return new Promise((resolve, reject) => {
    const child = execFile(inPath(command), args, options, (cause, stdout, stderr) => {
      running.delete(child)
      if (cause === null) return resolve(stdout)
      const reason = isMissing(cause)
        ? `is not there or cannot be run (${cause.code}): ${hintOf(installHint)}`
        : `failed: ${(stderr.trim() || cause.message).slice(0, QUOTED_CHARACTERS)}`
      reject(new Error(`its exec plugin ${command} ${reason}`, { cause }))
    })
    running.add(child)
    process.off('exit', endRunning).on('exit', endRunning)
    // One that asks a person gets no answer, and does not wait for it.
    child.stdin?.end()
    // Node's own `signal` sends SIGTERM, which a plugin may ignore.
    signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
    if (signal?.aborted) child.kill('SIGKILL')
  })
}

const isMissing = ({ code }: { readonly code?: unknown }): boolean => code === 'ENOENT' || code === 'EACCES'

/** Writes what a terminal would obey as its code point. */
const hintOf = (hint: string | undefined): string =>
  (hint || 'install it, or name its path')
    .trim()
    .replace(/(?!\s)\p{Cc}/gu, (character) => `U+${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .slice(0, QUOTED_CHARACTERS)

/** Finds a command by our PATH; Node would by that which the plugin gets. */
function inPath(command: string): string {
  if (command.includes(sep)) return command
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, command))
  return files.find(isExecutable) ?? command
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** @throws Error without the output, which may hold a token */
function parse(command: string, text: string): ExecCredential {
  const answer = parseJson(text)
  if (isRecord(answer)) return answer
  throw new Error(`its exec plugin ${command} answered with something else than an ExecCredential in JSON`)
}
