import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { argv, env, exit, stderr, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { BinariesError, buildGoProgram, isExecutable, programCache } from '../support/go-program.ts'

/** The releases that the suites run on, by minor version. Each has a Go module in `binaries`. */
export const RELEASES: Readonly<Record<string, string>> = {
  '1.33': 'v1.33.13',
  '1.34': 'v1.34.4',
  '1.35': 'v1.35.4',
  '1.36': 'v1.36.4',
  '1.37': 'v1.37.2',
}
/** The newest: what CI runs. */
export const DEFAULT_MINOR = '1.37'
/** What the embedded control plane is compared with, word by word. */
export const CONTROL_PLANE_MINOR = '1.36'

/** The minor version that KUBERNETES_VERSION asks for, such as `1.34`; default: the one that CI runs. */
export const KUBERNETES_MINOR = env.KUBERNETES_VERSION || DEFAULT_MINOR
/** Its release, which its Go module names; the servers report it as their version. */
export const KUBERNETES_VERSION = RELEASES[KUBERNETES_MINOR] ?? ''

/** Paths of the programs that the suites start. */
export interface Binaries {
  readonly 'kube-apiserver': string
  readonly etcd: string
  /** undefined only where KUBEBUILDER_ASSETS does not have it. */
  readonly 'kube-controller-manager'?: string
  readonly kubectl?: string
}

type Program = keyof Binaries

const PACKAGES: Readonly<Record<Program, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
}
const PROGRAMS = Object.keys(PACKAGES) as Program[]
/** Returns the folder of the Go module of a minor version. */
export const goModule = (minor: string): string =>
  fileURLToPath(new URL(`./binaries/${minor}`, import.meta.url))
const STILL_BUILDING_EVERY_MS = 30_000

/**
 * Finds the programs in KUBEBUILDER_ASSETS (etcd and kube-apiserver must be there), else in the cache
 * (`${XDG_CACHE_HOME:-~/.cache}/sliceflow`), where those that are missing are built first: minutes, once a
 * machine.
 * @param report gets a line for every step of a build
 * @param minor default: KUBERNETES_MINOR
 * @throws BinariesError if the version is unknown, something is missing in KUBEBUILDER_ASSETS, or Go
 * is, or a build fails
 */
export async function ensureBinaries(
  report: (line: string) => void = () => {},
  minor: string = KUBERNETES_MINOR,
): Promise<Binaries> {
  const release = RELEASES[minor]
  if (release === undefined)
    throw new BinariesError(
      `the version (KUBERNETES_VERSION) must be one of ${Object.keys(RELEASES).join(', ')}`,
    )
  const assets = env.KUBEBUILDER_ASSETS
  if (assets) return fromAssets(assets)
  const module = goModule(minor)
  const paths = pathsIn(await cacheFolder(module, release))
  const missing: Program[] = []
  for (const program of PROGRAMS) if (!(await isExecutable(paths[program]))) missing.push(program)
  for (const [index, program] of missing.entries()) {
    await build({ program, module, release, path: paths[program] }, (line) =>
      report(`[${index + 1}/${missing.length}] ${line}`),
    )
  }
  return paths
}

async function fromAssets(folder: string): Promise<Binaries> {
  const paths = pathsIn(folder)
  for (const program of ['etcd', 'kube-apiserver'] as const) {
    if (await isExecutable(paths[program])) continue
    throw new BinariesError(
      `KUBEBUILDER_ASSETS=${folder} has no executable ${program}: install the envtest assets there, or unset it to build them with Go`,
    )
  }
  const manager = 'kube-controller-manager'
  return {
    etcd: paths.etcd,
    'kube-apiserver': paths['kube-apiserver'],
    ...((await isExecutable(paths[manager])) && { [manager]: paths[manager] }),
    ...((await isExecutable(paths.kubectl)) && { kubectl: paths.kubectl }),
  }
}

/** Returns the folder of a set of module versions. go.sum changes whenever one of them does. */
async function cacheFolder(module: string, release: string): Promise<string> {
  const sums = await readFile(join(module, 'go.sum'))
  const key = createHash('sha256').update(sums).digest('hex').slice(0, 12)
  return programCache(`kubernetes-${release}`, key)
}

const pathsIn = (folder: string): Required<Binaries> => ({
  etcd: join(folder, 'etcd'),
  'kube-apiserver': join(folder, 'kube-apiserver'),
  'kube-controller-manager': join(folder, 'kube-controller-manager'),
  kubectl: join(folder, 'kubectl'),
})

interface Build {
  readonly program: Program
  readonly module: string
  readonly release: string
  readonly path: string
}

async function build(
  { program, module, release, path }: Build,
  report: (line: string) => void,
): Promise<void> {
  const started = performance.now()
  const seconds = (): string => `${Math.round((performance.now() - started) / 1000)} s`
  report(`building ${program} ${release} (${PACKAGES[program]})`)
  const still = setInterval(() => report(`still building ${program}: ${seconds()}`), STILL_BUILDING_EVERY_MS)
  try {
    await buildGoProgram({
      module,
      target: PACKAGES[program],
      path,
      flags: ['-ldflags', linkerFlags(release)],
    })
  } finally {
    clearInterval(still)
  }
  report(`built ${program} in ${seconds()}`)
}

/** Sets the version, by which client-go and feature gates go. A plain `go build` reports v0.0.0. */
function linkerFlags(release: string): string {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(release) ?? []
  const variables = { gitVersion: release, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' }
  const settings = Object.entries(variables).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  )
  return ['-s', '-w', ...settings].join(' ')
}

if (import.meta.main) {
  try {
    const minors = argv.length > 2 ? argv.slice(2) : [KUBERNETES_MINOR]
    for (const minor of minors) {
      const binaries = await ensureBinaries((line) => stderr.write(`${line}\n`), minor)
      for (const [program, path] of Object.entries(binaries)) stdout.write(`${program}\t${path}\n`)
    }
  } catch (error) {
    if (!(error instanceof BinariesError)) throw error
    stderr.write(`${error.message}\n`)
    exit(1)
  }
}
