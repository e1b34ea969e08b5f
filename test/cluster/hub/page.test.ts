import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
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
})
