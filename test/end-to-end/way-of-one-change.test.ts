import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { startEmbeddedCluster } from './embedded-cluster.ts'
import { openWeb, until } from './scene.ts'
import { useCluster } from './use-cluster.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')

/** Files of the page's table, in its order. */
const way = [...PAGE.matchAll(/^\| \d+ \| \[([^\]]+)\]/gm)].map(([, file = '']) => file)

/** Above this number nobody reads all of them. */
const MAX_FILES = 20

const cluster = useCluster((name) => startEmbeddedCluster(name))

it('the way of one change is short, and the page counts its files', () => {
  expect(way.length).toBeLessThanOrEqual(MAX_FILES)
  expect(PAGE).toContain(`These ${way.length} files`)
  expect(PAGE).toContain(`\n| ${way.length} | [${way.at(-1)}]`)
})

it('no file of the way imports one before it, other than the wiring of a cluster', () => {
  const back = way.flatMap((file, at) => importsOf(file).filter((other) => way.slice(0, at).includes(other)))
  expect(back).toEqual(['functions/relay/watch/reflectors.ts'])
})

it('each file of the way takes part when a Pod becomes ready', async () => {
  const scene = await openWeb(cluster(), 3)
  const { outcomes } = await scene.startRight()
  const becomes = async (ready: boolean): Promise<void> => {
    const before = outcomes.length
    await scene.pods.setReady({ namespace: scene.namespace, name: 'web-1' }, ready)
    await until(() => outcomes.length).toBeGreaterThan(before)
    await scene.untilRight()
  }
  await becomes(false)

  const called = await filesCalled(() => becomes(true))

  expect(outcomes.at(-1)).toMatchObject({ updated: 1, attempts: 1 })
  expect(way.filter((file) => !called.has(file))).toEqual([])
})

/** Lists the files from which a file imports more than types. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(/^import \{[^}]*\} from '(\.[^']+)'/gm)].map(([, target = '']) =>
    normalize(join(dirname(file), target)),
  )
}

/** Names the files of this project of which functions are called meanwhile. */
async function filesCalled(act: () => Promise<void>): Promise<ReadonlySet<string>> {
  const session = new Session()
  session.connect()
  onTestFinished(() => session.disconnect())
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true })
  // Calls before this one count no more.
  await session.post('Profiler.takePreciseCoverage')
  await act()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files = result
    .filter(({ functions }) => functions.some(({ ranges: [all] }) => all !== undefined && all.count > 0))
    .map(({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : url))
  return new Set(files.map((file) => file.slice(ROOT.length)))
}
