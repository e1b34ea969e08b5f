import { execFile } from 'node:child_process'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedFolder } from '../../test/support/temporary-folder.ts'
import { BUNDLE_NAMES, type BundleContents, type BundleName, bundle, bytesOf } from './index.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Bytes that a start loads, minified: the file of the program, and those that it imports without waiting. */
const LIMITS: Readonly<Record<BundleName, number>> = {
  reconcile: 260_000,
  // The lists of sources and owners take 5, so that what is new in them is audited.
  audit: 104_000,
  relay: 307_500,
  // With the SDK's clients of DynamoDB and the sinks, which every call uses.
  'view-publisher': 561_000,
}

/** Sentences of infra/README.md that say how large a bundle is. */
const SIZES_SAID: readonly (readonly [BundleName, RegExp])[] = [
  ['reconcile', /The reconcile function is (\d+) kB/],
  ['view-publisher', /The view publisher, which needs the SDK for every invocation, is (\d+) kB/],
]

describe('the bundle of', () => {
  const folder = sharedFolder()
  const contents = new Map<BundleName, BundleContents>()

  beforeAll(async () => {
    for (const name of BUNDLE_NAMES) contents.set(name, await bundle(name, join(folder, name)))
    // Long enough for a crowded machine.
  }, 120_000)

  const sourcesOf = (name: BundleName, part: 'start' | 'lazy'): string[] =>
    Object.values(contents.get(name)?.[part].outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs))

  const startBytes = (name: BundleName): number => {
    const found = contents.get(name)
    return found === undefined ? Number.NaN : bytesOf(found.start)
  }

  describe.each(BUNDLE_NAMES)('%s', (name) => {
    if (name !== 'view-publisher')
      it('loads nothing of the AWS SDK at its start, but has it', () => {
        expect(
          sourcesOf(name, 'start').filter((file) => /node_modules\/(@aws-sdk|@smithy)/.test(file)),
        ).toEqual([])
        expect(sourcesOf(name, 'lazy').some((file) => file.includes('@aws-sdk/client-sqs'))).toBe(true)
      })

    it('loads nothing of OpenTelemetry’s SDK at its start, but has it where changes are traced', () => {
      const ofSdk = (part: 'start' | 'lazy'): boolean =>
        sourcesOf(name, part).some((file) => /@opentelemetry\/(?!api\/)/.test(file))
      expect([ofSdk('start'), ofSdk('lazy')]).toEqual([false, name === 'relay' || name === 'reconcile'])
    })

    it('loads nothing of cluster sets, recordings, shadow mode and mirroring at its start, but has it where they are used', () => {
      const uses = (part: 'start' | 'lazy'): boolean[] =>
        [
          ...[/^shared\/fleet\//, /^shared\/recording\/writing\//, /\/shadow\/shadow-/],
          /\/sync-mirrored\.ts$/,
        ].map((files) => sourcesOf(name, part).some((file) => files.test(file)))
      const isUsed = name === 'relay' || name === 'reconcile'
      expect([uses('start'), uses('lazy')]).toEqual([
        [false, false, false, false],
        [isUsed, isUsed, name === 'reconcile', name === 'reconcile'],
      ])
    })

    it('has nothing of client-node and of the embedded queue', async () => {
      const foreign =
        name === 'view-publisher'
          ? /node_modules\/(@kubernetes|undici|js-yaml|fauxqs|commander)\//
          : /node_modules\/(@kubernetes|undici|js-yaml|fauxqs|commander|yaml)\//
      expect(
        [...sourcesOf(name, 'start'), ...sourcesOf(name, 'lazy')].filter((file) => foreign.test(file)),
      ).toEqual([])
      for (const file of await readdir(join(folder, name), { recursive: true }))
        if (file.endsWith('.mjs'))
          expect(await readFile(join(folder, name, file), 'utf8')).not.toContain('@kubernetes/client-node')
    })

    it('has of valibot only what its own schemas need', () => {
      // All of it takes 84 kB. An object of valibot takes 1, and is not ours: shared/schema has those to use.
      const inputs = Object.values(contents.get(name)?.start.outputs ?? {}).map(({ inputs }) => inputs)
      const sizes = inputs.flatMap((files) =>
        Object.entries(files).flatMap(([file, { bytesInOutput }]) =>
          file.includes('node_modules/valibot/') ? [bytesInOutput] : [],
        ),
      )
      expect(sizes).toEqual([expect.any(Number)])
      expect(sizes[0]).toBeLessThan(11_000)
    })

    if (name !== 'view-publisher')
      it('loads one file at its start beside that of the program', () => {
        // And that of esbuild's own functions.
        expect(Object.keys(contents.get(name)?.start.outputs ?? {})).toHaveLength(3)
      })

    it('reads the variables of the file beside it', async () => {
      const file = join(folder, name, 'deployment.json')
      await writeFile(file, '{"SLICEFLOW_MODE":"of the file"}')
      const program =
        name === 'relay'
          ? [join(folder, name, 'main.mjs')]
          : ['-e', `import('${folder}/${name}/index.mjs').then(({ handler }) => handler({}, {}))`]
      const failed = promisify(execFile)(process.execPath, program, { cwd: '/', env: {} })
      await expect(failed).rejects.toMatchObject({
        stderr: expect.stringMatching(/SLICEFLOW_MODE: \\?"of the file/),
      })
      await rm(file)
    })

    it(`is below ${LIMITS[name] / 1000} kB`, () => {
      expect(startBytes(name)).toBeLessThan(LIMITS[name])
    })
  })

  it('fails an event if what the settings ask for cannot be loaded, and tries again with the next one', async () => {
    const entries = Object.entries(contents.get('reconcile')?.lazy.outputs ?? {})
    const [path = ''] = entries.flatMap(([file, { entryPoint }]) =>
      entryPoint?.endsWith('shared/fleet/reconcile-fleet.ts') ? join(ROOT, file) : [],
    )
    await rename(path, `${path}.gone`)
    const cluster = { name: 'eu', kind: 'eks', clusterName: 'eu', region: 'eu-west-1' }
    const urls = ['LIVE_QUEUE', 'LIVE_DEAD_LETTERS', 'SWEEP_QUEUE', 'SWEEP_DEAD_LETTERS']
    const env = {
      SLICEFLOW_CLUSTERS: JSON.stringify([cluster]),
      SLICEFLOW_CLUSTER_SETS: JSON.stringify([{ name: 'prod', clusters: [{ name: 'eu' }] }]),
      ...Object.fromEntries(urls.map((queue) => [`SLICEFLOW_${queue}_URL`, `http://127.0.0.1:9/1/${queue}`])),
    }
    const program = `
      const { handler } = await import('${folder}/reconcile/index.mjs')
      const call = () => handler({ Records: [] }, {}).catch((error) => console.log(error.message))
      await call()
      await (await import('node:fs/promises')).rename('${path}.gone', '${path}')
      await call()`
    const args = ['--input-type=module', '-e', program]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: '/', env })
    const [first, second] = stdout.split('\n')
    expect(first).toContain(`Cannot find module '${path}'`)
    expect(second).toContain('the event is of queue (none)')
  })

  it.each(SIZES_SAID)('%s has the size that the page says, within 3 %', async (name, sentence) => {
    const page = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    const said = Number(sentence.exec(page)?.[1]) * 1000
    expect(Math.abs(said / startBytes(name) - 1)).toBeLessThan(0.03)
  })
})
