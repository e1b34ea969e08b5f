import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { env } from 'node:process'
import { parse, stringify } from 'yaml'
import { GO_ENV } from '../../../../../../test/cluster/child-processes.ts'
import { serverOf } from '../../../../../../test/support/kubeconfig.ts'
import { withoutAccidents } from './accidents.ts'

/** A shell with kubectl in its path, in a folder and a namespace of its own. */
interface Session extends AsyncDisposable {
  /** Runs a command line; @returns what a transcript has of it, without what is different in every run. */
  run(command: string): Promise<string>
}

interface SessionOptions {
  /** The program. */
  readonly kubectl: string
  /** YAML text. */
  readonly kubeconfig: string
  /** Becomes the current namespace; the session does not make it. */
  readonly namespace: string
}

/** Longer than any wait of a transcript, on a busy machine. */
const COMMAND_TIMEOUT_MS = 120_000

/**
 * `follow COUNT COMMAND…` for the transcripts: runs kubectl with a watch in the background until the server
 * has begun to answer that (which kubectl logs from level 6 on) and COUNT lines are in `followed`; `followed
 * COUNT` waits for as many, ends it and shows them; `ended` waits for its own end instead.
 */
const HELPERS = `
until_lines() { until [ "$(wc -l < followed)" -ge "$1" ]; do kill -0 "$(cat follower)" || return; sleep 0.05; done; }
until_watching() { until grep -q 'watch=true.*200 OK' follower.log; do kill -0 "$(cat follower)" || return; sleep 0.05; done; }
follow() { count=$1; shift; : > followed; : > follower.log; "$@" -v=6 >> followed 2>> follower.log & echo $! > follower; until_watching; until_lines "$count"; }
followed() { until_lines "$1"; kill "$(cat follower)"; cat followed; }
ended() { wait "$(cat follower)"; code=$?; cat followed; return $code; }
`

export async function openSession({ kubectl, kubeconfig, namespace }: SessionOptions): Promise<Session> {
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-session-'))
  const home = join(folder, 'home')
  const work = join(folder, 'work')
  await Promise.all([mkdir(home), mkdir(work)])
  await symlink(kubectl, join(home, 'kubectl'))
  await writeFile(join(home, 'kubeconfig'), inNamespace(kubeconfig, namespace), { mode: 0o600 })
  const environment = {
    ...GO_ENV,
    PATH: `${home}:${dirname(process.execPath)}:${env.PATH}`,
    HOME: home,
    KUBECONFIG: join(home, 'kubeconfig'),
    TZ: 'UTC',
  }
  const accidents = { folder: work, server: serverOf(kubeconfig).origin }
  return {
    async run(command) {
      const { code, output } = await shell(command, work, environment)
      const text = withoutAccidents(output, accidents)
      const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`
      return code === 0 ? ended : `${ended}[${code}]\n`
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

function shell(
  command: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number | string; output: string }> {
  return new Promise((resolve) => {
    const args = ['-c', `${HELPERS}exec 2>&1\n${command}`]
    const options = { cwd, env: environment, timeout: COMMAND_TIMEOUT_MS, maxBuffer: 2 ** 26 }
    execFile('bash', args, options, (error, output) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? 1), output })
    })
  })
}

interface Kubeconfig {
  readonly contexts: readonly { readonly name: string; readonly context: object }[]
}

function inNamespace(kubeconfig: string, namespace: string): string {
  const config: Kubeconfig = parse(kubeconfig)
  const contexts = config.contexts.map(({ name, context }) => ({ name, context: { ...context, namespace } }))
  return stringify({ ...config, contexts })
}
