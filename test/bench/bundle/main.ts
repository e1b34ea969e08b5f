import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { BUNDLE_NAMES, type BundleName, bundle, bytesOf } from '../../../infra/bundling/index.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Starts of a process to take the median of. */
const STARTS = 11
const KILO = 1000

/** Measures a process of its own: what is loaded stays loaded. */
const PROBE = `
const begin = performance.now(), cpu = process.cpuUsage()
await import(process.argv[1])
const { user, system } = process.cpuUsage(cpu)
console.log(JSON.stringify([performance.now() - begin, (user + system) / 1000]))
process.exit()`

interface Figures {
  readonly name: BundleName
  readonly bytes: number
  readonly gzipped: number
  /** Bytes of the files that are loaded when they are needed, such as the AWS SDK. */
  readonly lazyBytes: number
  readonly importMs: readonly number[]
  /** Processor time of the same: it does not depend on what else the machine does. */
  readonly cpuMs: readonly number[]
}

const folder = await mkdtemp(join(tmpdir(), 'sliceflow-bench-'))
try {
  print([
    await measure('reconcile'),
    await measure('audit'),
    await measure('view-publisher'),
    { ...(await sizes('relay')), importMs: [], cpuMs: [] },
  ])
} finally {
  await rm(folder, { recursive: true })
}

async function measure(name: BundleName): Promise<Figures> {
  const size = await sizes(name)
  const file = join(folder, name, 'index.mjs')
  const times: [number, number][] = []
  for (let start = 0; start < STARTS; start++) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROBE, file])
    times.push(JSON.parse(stdout))
  }
  const sorted = (column: 0 | 1): number[] => times.map((time) => time[column]).toSorted((a, b) => a - b)
  return { ...size, importMs: sorted(0), cpuMs: sorted(1) }
}

async function sizes(name: BundleName): Promise<Omit<Figures, 'importMs' | 'cpuMs'>> {
  const { start, lazy } = await bundle(name, join(folder, name))
  const texts = await Promise.all(Object.keys(start.outputs).map((file) => readFile(join(ROOT, file))))
  return {
    name,
    bytes: bytesOf(start),
    gzipped: texts.reduce((sum, text) => sum + gzipSync(text).length, 0),
    lazyBytes: bytesOf(lazy),
  }
}

function print(all: readonly Figures[]): void {
  const kilobytes = (bytes: number): string => `${(bytes / KILO).toFixed(0)} kB`
  const spread = (times: readonly number[]): string => {
    const some = [times[0], times[times.length >> 1], times.at(-1)]
    return times.length === 0 ? '–' : some.map((ms = 0) => ms.toFixed(1)).join(' / ')
  }
  const lines = all.map(({ name, bytes, gzipped, lazyBytes, importMs, cpuMs }) => {
    const figures = [
      kilobytes(bytes),
      kilobytes(gzipped),
      kilobytes(lazyBytes),
      spread(importMs),
      spread(cpuMs),
    ]
    return `| ${name} | ${figures.join(' | ')} |`
  })
  const names = `${BUNDLE_NAMES.length} bundles, ${STARTS} starts each`
  process.stdout.write(
    `Bundles of what is deployed (${names})\n\n| bundle | at each start | gzip | when needed | import ms: least / median / most | its CPU ms |\n| --- | --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`,
  )
}
