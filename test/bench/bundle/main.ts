import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { BUNDLE_NAMES, type BundleName, bundle } from '../../../infra/bundling/index.ts'

/** Starts of a process to take the median of. */
const STARTS = 11
const KILO = 1000

/** Measures a process of its own: what is loaded stays loaded. */
const PROBE = 'const begin=performance.now();await import(process.argv[1]);console.log(performance.now()-begin);process.exit()'

interface Figures {
  readonly name: BundleName
  readonly bytes: number
  readonly gzipped: number
  /** Of the files that are loaded when they are needed: the AWS SDK. */
  readonly lazyBytes: number
  readonly importMs: readonly number[]
}

const folder = await mkdtemp(join(tmpdir(), 'sliceflow-bench-'))
try {
  print([await measure('reconcile'), await measure('resync'), { ...(await sizes('relay')), importMs: [] }])
} finally {
  await rm(folder, { recursive: true })
}

async function measure(name: BundleName): Promise<Figures> {
  const size = await sizes(name)
  const file = join(folder, name, 'index.mjs')
  const importMs: number[] = []
  for (let start = 0; start < STARTS; start++) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROBE, file])
    importMs.push(Number(stdout))
  }
  return { ...size, importMs: importMs.toSorted((a, b) => a - b) }
}

async function sizes(name: BundleName): Promise<Omit<Figures, 'importMs'>> {
  const { main } = await bundle(name, join(folder, name))
  const [file = ''] = Object.keys(main.outputs).filter((output) => output.endsWith('.mjs'))
  const text = await readFile(join(folder, name, file.split('/').at(-1) ?? ''))
  const lazy = await readdir(join(folder, name, 'lazy'), { recursive: true })
  const lazyFiles = lazy.filter((path) => path.endsWith('.mjs'))
  const lazyTexts = await Promise.all(lazyFiles.map((path) => readFile(join(folder, name, 'lazy', path))))
  return {
    name,
    bytes: text.length,
    gzipped: gzipSync(text).length,
    lazyBytes: lazyTexts.reduce((sum, { length }) => sum + length, 0),
  }
}

function print(all: readonly Figures[]): void {
  const kilobytes = (bytes: number): string => `${(bytes / KILO).toFixed(0)} kB`
  const lines = all.map(({ name, bytes, gzipped, lazyBytes, importMs }) => {
    const median = importMs[importMs.length >> 1]
    const time = median === undefined ? '–' : `${importMs[0]?.toFixed(1)} / ${median.toFixed(1)} / ${importMs.at(-1)?.toFixed(1)}`
    return `| ${name} | ${kilobytes(bytes)} | ${kilobytes(gzipped)} | ${kilobytes(lazyBytes)} | ${time} |`
  })
  const names = `${BUNDLE_NAMES.length} bundles, ${STARTS} starts each`
  process.stdout.write(
    `Bundles of what is deployed (${names})\n\n| bundle | at each start | gzip | when needed (AWS SDK) | import ms: least / median / most |\n| --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`,
  )
}
