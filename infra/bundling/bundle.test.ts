import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUNDLE_NAMES, type BundleContents, type BundleName, bundle } from './index.ts'

/** Bytes of one start, minified, without the AWS SDK, which is loaded when it is needed. */
const LIMITS: Readonly<Record<BundleName, number>> = {
  // The reconciler of cluster sets takes 43 kB of it, 6 of them for the policies of imports. What mirrors
  // Endpoints takes 12. The proxies that the environment names take 1, and so do the signs of life of silent
  // servers and the commands that grant what a server refused. The controls of a Service by annotation and
  // the table of rules for annotations take 5,
  // the deployment's file and dimension less than 1. The list of guards takes 3, with what their alarms and
  // pages say. EndpointSelectors that stand for Services take 4, exported ones 2.
  reconcile: 359_000,
  // The list of sources takes 4, so that Services that ask for a new one are audited.
  audit: 99_000,
  // Of it the work queue takes 4 kB, the table of rules for annotations 1, the bucket of keys 1, and
  // projections of Services 2.
  relay: 327_000,
  // With the SDK's clients of DynamoDB and the sinks, which every call uses.
  'view-publisher': 536_000,
}

/** Sentences of infra/README.md that say how large a bundle is. */
const SIZES_SAID: readonly (readonly [BundleName, RegExp])[] = [
  ['reconcile', /The reconcile function is (\d+) kB/],
  ['view-publisher', /The view publisher, which needs the SDK for every invocation, is (\d+) kB/],
]

describe('the bundle of', () => {
  let folder: string
  const contents = new Map<BundleName, BundleContents>()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sliceflow-bundle-'))
    for (const name of BUNDLE_NAMES) contents.set(name, await bundle(name, join(folder, name)))
    // Long enough for a crowded machine.
  }, 120_000)
  afterAll(() => rm(folder, { recursive: true }))

  const sourcesOf = (name: BundleName, part: 'main' | 'lazy'): string[] =>
    Object.values(contents.get(name)?.[part]?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs))

  describe.each(BUNDLE_NAMES)('%s', (name) => {
    it.skipIf(name === 'view-publisher')('loads nothing of the AWS SDK at its start, but has it', () => {
      expect(sourcesOf(name, 'main').filter((file) => /node_modules\/(@aws-sdk|@smithy)/.test(file))).toEqual(
        [],
      )
      expect(sourcesOf(name, 'lazy').some((file) => file.includes('@aws-sdk/client-sqs'))).toBe(true)
    })

    it('loads nothing of OpenTelemetry’s SDK at its start, but has it where changes are traced', () => {
      const ofSdk = (part: 'main' | 'lazy'): boolean =>
        sourcesOf(name, part).some((file) => /@opentelemetry\/(?!api\/)/.test(file))
      expect([ofSdk('main'), ofSdk('lazy')]).toEqual([false, name === 'relay' || name === 'reconcile'])
    })

    it('has nothing of client-node and of the embedded queue', async () => {
      const foreign =
        name === 'view-publisher'
          ? /node_modules\/(@kubernetes|undici|js-yaml|fauxqs|commander)\//
          : /node_modules\/(@kubernetes|undici|js-yaml|fauxqs|commander|yaml)\//
      expect(
        [...sourcesOf(name, 'main'), ...sourcesOf(name, 'lazy')].filter((file) => foreign.test(file)),
      ).toEqual([])
      for (const file of await readdir(join(folder, name), { recursive: true }))
        if (file.endsWith('.mjs'))
          expect(await readFile(join(folder, name, file), 'utf8')).not.toContain('@kubernetes/client-node')
    })

    it('has of valibot only what its own schemas need', () => {
      // All of it takes 84 kB. An object of valibot takes 1, and is not ours: shared/schema has those to use.
      const inputs = Object.values(contents.get(name)?.main.outputs ?? {}).map(({ inputs }) => inputs)
      const sizes = inputs.flatMap((files) =>
        Object.entries(files).flatMap(([file, { bytesInOutput }]) =>
          file.includes('node_modules/valibot/') ? [bytesInOutput] : [],
        ),
      )
      expect(sizes).toEqual([expect.any(Number)])
      expect(sizes[0]).toBeLessThan(11_000)
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
      const outputs = Object.entries(contents.get(name)?.main.outputs ?? {}).filter(([file]) =>
        file.endsWith('.mjs'),
      )
      expect(outputs).toHaveLength(1)
      for (const [, { bytes }] of outputs) expect(bytes).toBeLessThan(LIMITS[name])
    })
  })

  it.each(SIZES_SAID)('%s has the size that the page says, within 3 %', async (name, sentence) => {
    const page = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    const said = Number(sentence.exec(page)?.[1]) * 1000
    const [size = 0] = Object.entries(contents.get(name)?.main.outputs ?? {}).flatMap(([file, { bytes }]) =>
      file.endsWith('.mjs') ? bytes : [],
    )
    expect(Math.abs(said / size - 1)).toBeLessThan(0.03)
  })
})
