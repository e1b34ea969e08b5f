import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { withToken } from '../../support/kubeconfig.ts'
import { createWorkload } from '../../support/workload.ts'
import { startApiServer } from '../api-server.ts'
import { ensureBinaries } from '../binaries.ts'
import { clientOf, startRun, writeFileForTest } from '../run-command.ts'
import { ensureHelm } from './helm.ts'
import { renderBase } from './render.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const page = await readFile(new URL('../../../docs/without-aws.md', import.meta.url), 'utf8')
const installations = [...page.matchAll(/^helm upgrade --install (.+)$/gm)].map(([, args = '']) => args)

describe('the page of homes without AWS', () => {
  it('has commands of Helm', () => {
    expect(installations.length).toBeGreaterThan(2)
  })

  it.each(installations)('has values that the chart takes: helm upgrade --install %s', async (args) => {
    const shell = `exec "$HELM" template ${args.replace('--create-namespace', '')}`
    const env = { ...process.env, HELM: await ensureHelm() }
    const { stdout } = await promisify(execFile)('sh', ['-c', shell], { cwd: ROOT, env })
    expect(stdout).toContain('image: registry.example.org/sliceflow:0.1.0')
  })

  it('has a kustomization that renders', async () => {
    const [, text = ''] = /```yaml\n(# kustomization\.yaml\n[\s\S]+?)```/.exec(page) ?? []
    const { resources, components, ...rest } = parse(text)
    expect(resources).toEqual(['infra/kustomize/base'])
    const names = components.map((path: string) => path.replace('infra/kustomize/components/', ''))
    const objects = await renderBase({ ...rest, components: names })
    const [container] = objects.get('Deployment').spec.template.spec.containers
    expect(container.image).toBe('registry.example.org/sliceflow:0.1.0')
    expect(container.args).toContain('--context=eu-1')
    expect(container.env).toContainEqual({ name: 'SLICEFLOW_MODE', value: 'replace' })
    expect(objects.has('ServiceMonitor')).toBe(true)
  })

  it('has commands that make a token in a further cluster, with which a run reconciles it', async () => {
    const blocks = [...page.matchAll(/```sh\n(npm run -s sliceflow -- rbac [\s\S]+?)```/g)]
    expect(blocks).toHaveLength(2)
    const server = await startApiServer({ name: 'eu-1' })
    onTestFinished(() => server.stop())
    const { kubectl = '' } = await ensureBinaries()
    const env = {
      ...process.env,
      PATH: `${dirname(kubectl)}:${process.env.PATH}`,
      KUBECONFIG: server.kubeconfig.path,
    }
    const type = (script: string) => promisify(execFile)('sh', ['-ec', script], { cwd: ROOT, env })
    const [[, account = ''] = [], [, fleet = ''] = []] = blocks
    const { stdout } = await type(account)
    await type(fleet)
    const token = stdout.trimEnd().split('\n').at(-1) ?? ''
    const kubeconfig = await writeFileForTest('kubeconfig', withToken(server.kubeconfig.text, token))
    const run = startRun(kubeconfig, '--fleet')
    await run.ready
    const client = await clientOf(server.kubeconfig.text)
    const load = createWorkload({ client, services: 5, podsPerService: 5, seed: 700 })
    await load.createAll()
    expect((await load.settle(60)).differences).toEqual([])
    expect(run.stderr).not.toContain('cannot')
  })
})
