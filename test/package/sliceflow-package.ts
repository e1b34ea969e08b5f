import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkTypes, lintManifest } from './check-exports.ts'
import { docExamples, moduleOf } from './doc-examples.ts'
import {
  completeSliceflow,
  type Installed,
  type InstalledSliceflow,
  type Project,
  ROOT,
} from './installed.ts'
import { DEPLOYMENT } from './programs.ts'
import { STRICTEST } from './strictest.ts'

/** CDK's own declarations do not hold with the strictest. */
const CDK_OPTIONS = {
  ...STRICTEST,
  exactOptionalPropertyTypes: false,
  skipLibCheck: true,
  module: 'nodenext',
}

/** What an example takes for granted. */
const STACK = `import { App, aws_iam, Stack } from 'aws-cdk-lib'
const stack = new Stack(new App(), 'Own', { env: { account: '111111111111', region: 'eu-west-1' } })
const onCall = new aws_iam.Role(stack, 'OnCall', { assumedBy: new aws_iam.AccountRootPrincipal() })`

/** Describes the package of the command and the constructs, once it is installed in a project. */
export function describeSliceflow(
  open: () => { readonly project: Project; readonly packed: Installed },
): void {
  describe('the package sliceflow', () => {
    let project: Project
    let installed: InstalledSliceflow

    beforeAll(async () => {
      project = open().project
      installed = await completeSliceflow(project, open().packed)
      await project.write('deployment.ts', DEPLOYMENT)
    }, 120_000)

    it('its constructs deploy the bundles that it brings, and each has an example, which does what it says', async () => {
      for (const name of ['reconcile', 'audit', 'view-publisher', 'relay']) {
        const bundle = join(installed.folder, 'dist/bundles', name)
        await mkdir(bundle, { recursive: true })
        await writeFile(join(bundle, name === 'relay' ? 'main.mjs' : 'index.mjs'), '')
        if (name === 'relay') await writeFile(join(bundle, 'Dockerfile'), 'FROM scratch\n')
      }
      const exported = Object.keys(await import('../../infra/constructs/index.ts'))
      const examples = await docExamples(join(ROOT, 'infra'))
      expect(exported.filter((name) => !examples.get(name))).toEqual([])
      const files = ['deployment.ts']
      for (const name of exported) {
        const text = moduleOf(examples.get(name) ?? '', {
          exports: exported,
          library: 'sliceflow/infra',
          before: STACK,
        })
        await project.write(`example-${name}.ts`, text)
        files.push(`example-${name}.ts`)
      }
      await project.compile({ compilerOptions: CDK_OPTIONS, files })
      await project.write('examples.ts', files.map((file) => `import './${file}'\n`).join(''))
      expect(JSON.parse(await project.run('examples.ts'))).toEqual({ queues: 4, services: 1 })
    }, 120_000)

    it('its command plans, and finds the files of the package', async () => {
      const service = {
        metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
        spec: { clusterIP: '10.96.0.7', ports: [{ port: 80 }] },
      }
      const plan = await installed.sliceflow(['plan'], JSON.stringify({ id: 1, service, pods: [] }))
      expect(JSON.parse(plan)).toMatchObject({ id: 1, create: [{ metadata: { namespace: 'shop' } }] })
      expect(await installed.sliceflow(['rbac'])).toContain('kind: ClusterRole')
      expect(await installed.sliceflow(['--help'])).toContain('control-plane')
    })

    it('it holds nothing that only tests and this repository need', async () => {
      const built = await readdir(join(installed.folder, 'dist'), { recursive: true })
      expect(built.filter((file) => /(^|\/)testing(\/|$)|\.test\.|fixtures|\/generate\./.test(file))).toEqual(
        [],
      )
    })

    it('its manifest names what there is, as Node and bundlers resolve it', async () => {
      expect(await lintManifest(installed.folder)).toEqual([])
    })

    it('finds its types by every way to resolve modules that knows exports and ES modules', async () => {
      const problems = await checkTypes(installed.tarball)
      const isKnown = /^NoResolution .* \(node10\)$|^CJSResolvesToESM .* \(node16-cjs\)$/
      expect(problems.filter((problem) => !isKnown.test(problem))).toEqual([])
      // Without these the check would have read nothing.
      expect(problems.filter((problem) => isKnown.test(problem))).toHaveLength(2)
    }, 60_000)
  })
}
