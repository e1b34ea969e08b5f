import { readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification, type Vite } from 'vitest/node'
import { CONTROL_PLANE_MINOR } from './test/cluster/binaries.ts'

/**
 * Suites of their own servers: begun last, they would keep one worker busy while the others have nothing to
 * do. Those of a minute come before the others.
 */
const LONGEST = [
  /\/test\/(conformance|end-to-end|end-to-end\/fleet|exploration)\/(embedded|exploration)\.test\.ts$/,
  /\/test\/(cluster\/)?(clients|conformance|controllers|end-to-end|histories|survival)\b/,
]

/**
 * They come first of all. What the end of another test leaves running for a moment would run by their clock,
 * what a worker has loaded by then would make each collection of their garbage long, and a module in the place
 * of another one needs a worker of its own.
 */
const NEEDS_FRESH_WORKER = /useFakeTimers|test\/support\/heap|vi\.mock\(/

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = new Map(files.map(({ moduleId }) => [moduleId, rankOf(moduleId)]))
    const rank = ({ moduleId }: TestSpecification): number => ranks.get(moduleId) ?? 0
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

function rankOf(file: string): number {
  if (NEEDS_FRESH_WORKER.test(readFileSync(file, 'utf8'))) return 0
  const longest = LONGEST.findIndex((pattern) => pattern.test(file))
  return 1 + (longest === -1 ? LONGEST.length : longest)
}

/**
 * Node keeps what it compiles, as it does for the command, in the same folder. Workers load the sources of an
 * earlier run in half the CPU time.
 */
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')

/** Two more than there are cores: about half of what a test does is wait. */
const maxWorkers = availableParallelism() + 2

/** Gives each core three tests on real servers: they mostly wait for the servers. */
const maxWorkersOfServers = 3 * availableParallelism()

/** What needs real servers: of the packages, and of all else. */
const CLUSTER = ['test/cluster/**/*.test.ts', 'shared/*/test/cluster/**/*.test.ts']

/** Tests that kill, freeze or cut off servers and processes. */
const FAULTS = [
  'test/cluster/faults/**/*.test.ts',
  'shared/control-plane/test/cluster/crashes.test.ts',
  'test/cluster/survival.test.ts',
]

/**
 * They compare each word of kube-apiserver's and kubectl's answers with those of the embedded control plane,
 * which is of the release CONTROL_PLANE_MINOR.
 */
const WORDS = [
  'shared/control-plane/test/cluster/conformance.test.ts',
  'shared/control-plane/test/cluster/clients/kubectl/*.test.ts',
]

/** They need Helm, promtool or actionlint, which take minutes to build. */
const MANIFESTS = [
  'test/cluster/hub/**/*.test.ts',
  'test/cluster/prometheus/**/*.test.ts',
  'test/cluster/workflows.test.ts',
]

/** They bundle and pack what users install, and use it; try every regular expression, and every order of events. */
const LONG = [
  'infra/bundling/**/*.test.ts',
  'test/package/{libraries,regular-expressions}.test.ts',
  'test/exploration/**/*.test.ts',
]

/** They add an entry to a list of the product by a module in its place. */
const EXTENSIONS = 'test/extensions/**/*.test.ts'

/** Takes what packages give their users. Their sources for `development` are not for Node. */
const releasedPackages: Vite.Plugin = {
  name: 'released-packages',
  configResolved({ ssr }) {
    ssr.resolve = { ...ssr.resolve, conditions: ['node'] }
  },
}

/** Files that the command leaves out. Vitest does not pass them on to projects. */
const { exclude: LEFT_OUT = [] } = parseArgs({
  options: { exclude: { type: 'string', multiple: true } },
  strict: false,
}).values as { exclude?: string[] }

/** Long enough for a crowded machine. What is waited for comes sooner on another one. */
const NO_SERVERS = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 15_000 } } }

const FROM_SOURCES = {
  ...NO_SERVERS,
  // CDK's validator takes 5 s a template; `npm run lint:templates` runs it.
  env: { CDK_VALIDATION: 'false' },
  // A worker loads each module once for all of its files, not once for each of them.
  isolate: false,
  // Node runs the sources as they are, as it does for users. Vite's form of them takes a tenth more
  // CPU time: each use of an import is a look-up there. Nothing here mocks modules.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  maxWorkers,
}

const REAL_SERVERS = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } }

/**
 * `unit`, `long` and `extensions` need nothing but Node. `cluster`, `words` and `faults` need the servers that test/cluster builds and starts.
 * `pages` needs Chromium, `manifests` the programs that read what others deploy.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: InOrder },
    projects: [
      {
        plugins: [releasedPackages],
        test: {
          ...FROM_SOURCES,
          name: 'unit',
          include: [
            'shared/**/*.test.ts',
            'functions/**/*.test.ts',
            'cli/**/*.test.ts',
            'infra/**/*.test.ts',
            'test/**/*.test.ts',
          ],
          exclude: [...CLUSTER, ...LONG, 'test/pages/**', EXTENSIONS, ...LEFT_OUT],
        },
      },
      { plugins: [releasedPackages], test: { ...FROM_SOURCES, name: 'long', include: LONG } },
      { test: { ...NO_SERVERS, name: 'extensions', include: [EXTENSIONS], maxWorkers } },
      {
        test: {
          ...REAL_SERVERS,
          name: 'cluster',
          include: [...CLUSTER],
          exclude: [...FAULTS, ...WORDS, ...MANIFESTS],
          maxWorkers: maxWorkersOfServers,
        },
      },
      {
        test: {
          ...REAL_SERVERS,
          name: 'words',
          include: WORDS,
          env: { KUBERNETES_VERSION: CONTROL_PLANE_MINOR },
          maxWorkers: maxWorkersOfServers,
        },
      },
      {
        test: {
          name: 'pages',
          include: ['test/pages/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      { test: { ...REAL_SERVERS, name: 'faults', include: FAULTS, maxWorkers: maxWorkersOfServers } },
      { test: { ...REAL_SERVERS, name: 'manifests', include: MANIFESTS, maxWorkers } },
    ],
  },
})
