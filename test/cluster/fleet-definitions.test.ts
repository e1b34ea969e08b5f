import { type ExecFileOptions, execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { customResourceDefinitions } from '../../shared/fleet/crds/index.ts'
import { createRawClient, type Json, type RawClient } from '../support/raw-client.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { ensureBinaries } from './binaries.ts'

const MAIN = new URL('../../cli/main.ts', import.meta.url).pathname
/** The release whose schemas ours are to be. */
const MCS_API = 'sigs.k8s.io/mcs-api@v0.5.2'

const run = async (program: string, args: readonly string[], options: ExecFileOptions = {}) =>
  String((await promisify(execFile)(program, [...args], options)).stdout)

describe('the definitions that sliceflow crds --fleet prints', () => {
  let server: ApiServer
  let client: RawClient
  let folder: string
  let kubectl: (...args: readonly string[]) => Promise<string>

  beforeAll(async () => {
    const { kubectl: program } = await ensureBinaries()
    if (program === undefined) throw new Error('KUBEBUILDER_ASSETS has no kubectl')
    server = await startApiServer()
    client = createRawClient(server.kubeconfig.text)
    folder = await mkdtemp(join(tmpdir(), 'sliceflow-fleet-'))
    const env = { ...process.env, HOME: folder }
    kubectl = (...args) => run(program, ['--kubeconfig', server.kubeconfig.path, ...args], { env })
    const file = join(folder, 'crds.yaml')
    await writeFile(file, await run(process.execPath, [MAIN, 'crds', '--fleet']))
    await kubectl('apply', '-f', file)
    await kubectl('wait', '--for=condition=Established', '--timeout=120s', '-f', file)
  })
  afterAll(async () => {
    client?.close()
    await server?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Lists the objects of a kind as kubectl shows them. */
  async function table(resource: string): Promise<string[]> {
    const text = await kubectl('get', resource, '--namespace', 'default')
    return text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).join(' '))
  }

  it('are applied once more without a change', async () => {
    expect(await kubectl('apply', '-f', join(folder, 'crds.yaml'))).toBe(
      [
        'customresourcedefinition.apiextensions.k8s.io/serviceexports.multicluster.x-k8s.io unchanged',
        'customresourcedefinition.apiextensions.k8s.io/serviceimports.multicluster.x-k8s.io unchanged',
        '',
      ].join('\n'),
    )
  })

  it('give kubectl the short names and columns of the API', async () => {
    const objects = '/apis/multicluster.x-k8s.io/v1beta1/namespaces/default'
    await client.post(`${objects}/serviceexports`, {
      apiVersion: 'multicluster.x-k8s.io/v1beta1',
      kind: 'ServiceExport',
      metadata: { name: 'web' },
    })
    await client.post(`${objects}/serviceimports`, {
      apiVersion: 'multicluster.x-k8s.io/v1beta1',
      kind: 'ServiceImport',
      metadata: { name: 'web' },
      spec: { type: 'ClusterSetIP', ports: [{ port: 80 }], ips: ['10.96.0.7', 'fd00::7'] },
    })
    for (const name of ['svcex', 'svcexport', 'serviceexport']) {
      expect(await table(name)).toEqual(['NAME AGE', expect.stringMatching(/^web \d+s$/)])
    }
    for (const name of ['svcim', 'svcimport', 'serviceimport']) {
      expect(await table(name)).toEqual([
        'NAME TYPE IP AGE',
        expect.stringMatching(/^web ClusterSetIP \["10\.96\.0\.7","fd00::7"\] \d+s$/),
      ])
    }
  })

  it('explain every field', async () => {
    const text = await kubectl('explain', 'serviceimports', '--recursive')
    expect(text).toContain('endpointSliceObjects')
    expect(text).toContain('trafficDistribution')
    expect(await kubectl('explain', 'serviceexports.spec.exportedLabels')).toContain(
      'Those of the Service are not copied.',
    )
  })

  it('are those of the API itself, but for the words of the descriptions and the fields of drafts', async () => {
    const module = JSON.parse(await run('go', ['mod', 'download', '-json', MCS_API], { cwd: folder }))
    const theirs: Json[] = []
    for (const { metadata } of customResourceDefinitions()) {
      const [plural, ...group] = metadata.name.split('.')
      const file = join(module.Dir, 'config/crd', `${group.join('.')}_${plural}.yaml`)
      theirs.push(parse(await readFile(file, 'utf8')))
    }
    const ours = customResourceDefinitions().map((definition) => comparable(withoutDrafts(definition)))
    expect(ours).toEqual(theirs.map((definition) => comparable(definition)))
  })
})

/** Removes what KEP-5939 and a draft for KEP-1645 add to the release. */
function withoutDrafts(definition: object): Json {
  const copy: Json = structuredClone(definition)
  for (const { schema } of copy.spec.versions) {
    const { spec, status } = schema.openAPIV3Schema.properties
    delete spec.properties.clusterSelectors
    delete status.properties.clusterSelectorResults
    if (copy.spec.names.kind === 'ServiceExport') delete status.properties.clusters
  }
  return copy
}

/** Removes descriptions, and the order of versions and required fields, which means nothing. */
function comparable(value: Json, key?: string | number): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item))
    if (key === 'required') return items.sort()
    return key === 'versions' ? items.sort((a, b) => (a.name < b.name ? -1 : 1)) : items
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([name, content]) => name !== 'description' || typeof content !== 'string',
  )
  return Object.fromEntries(entries.map(([name, content]) => [name, comparable(content, name)]))
}
