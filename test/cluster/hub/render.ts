import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseAllDocuments, stringify } from 'yaml'
import type { Json } from '../../support/raw-client.ts'
import { ensureBinaries } from '../binaries.ts'
import { ensureHelm } from './helm.ts'

const run = promisify(execFile)
const CHART = fileURLToPath(new URL('../../../infra/helm/sliceflow', import.meta.url))
const KUSTOMIZE = fileURLToPath(new URL('../../../infra/kustomize', import.meta.url))
const RELEASE = ['sliceflow', CHART, '--namespace', 'sliceflow']
const ARGUMENTS = {
  lint: [CHART, '--strict'],
  template: [...RELEASE, '--kube-version', '1.37.2'],
  install: RELEASE,
} as const

/** Values as a user's file has them. */
export type Values = Readonly<Record<string, unknown>>

/** The least that a user must say. */
export const IMAGE: Values = { image: { repository: 'sliceflow', tag: '0.1.0' } }

/** Runs Helm with a file of values. @throws with what Helm says on standard error */
export const helm = (command: 'template' | 'lint' | 'install', values: Values, kubeconfig = '') =>
  inFolder((folder) => runHelm(folder, [command, ...ARGUMENTS[command]], values, kubeconfig))

/** Packages the chart as other versions, and returns the objects that the package renders, by kind. */
export const renderPackaged = (versions: readonly string[]): Promise<ReadonlyMap<string, Json>> =>
  inFolder(async (folder) => {
    await runHelm(folder, ['package', CHART, '--destination', folder, ...versions])
    const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
    const release = ['template', 'sliceflow', join(folder, archive), '--namespace', 'sliceflow']
    const values = { image: { repository: 'sliceflow' }, hub: { managed: true } }
    return byKind(await runHelm(folder, [...release, '--kube-version', '1.37.2'], values))
  })

/** Renders a chart that has ours as a dependency with a condition, and returns the objects by kind. */
export const renderUmbrella = (values: Values): Promise<ReadonlyMap<string, Json>> =>
  inFolder(async (folder) => {
    const dependency = { name: 'sliceflow', version: '*', condition: 'sliceflow.enabled' }
    const chart = { apiVersion: 'v2', name: 'umbrella', version: '1.0.0', dependencies: [dependency] }
    await cp(CHART, join(folder, 'umbrella/charts/sliceflow'), { recursive: true })
    await writeFile(join(folder, 'umbrella/Chart.yaml'), stringify(chart))
    const command = ['template', 'umbrella', join(folder, 'umbrella'), '--kube-version', '1.37.2']
    return byKind(await runHelm(folder, command, { sliceflow: values }))
  })

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-values-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function runHelm(folder: string, command: readonly string[], values?: Values, kubeconfig = '') {
  const file = join(folder, 'values.yaml')
  if (values !== undefined) await writeFile(file, stringify(values))
  const flags = values === undefined ? [] : ['--values', file]
  const { stdout } = await run(await ensureHelm(), [...command, ...flags], {
    // Nothing of the user's own counts.
    env: {
      HOME: folder,
      KUBECONFIG: kubeconfig,
      HELM_CACHE_HOME: folder,
      HELM_CONFIG_HOME: folder,
      HELM_DATA_HOME: folder,
    },
  })
  return stdout
}

/** Renders the chart with values, and returns the objects by kind. */
export const renderChart = async (values: Values = {}): Promise<ReadonlyMap<string, Json>> =>
  byKind(await helm('template', { ...IMAGE, ...values }))

/** Renders a release of another name or namespace, and returns the objects by kind. */
export const renderRelease = (name: string, namespace: string): Promise<ReadonlyMap<string, Json>> =>
  inFolder(async (folder) => {
    const release = [name, CHART, '--namespace', namespace]
    return byKind(await runHelm(folder, ['template', ...release, '--kube-version', '1.37.2'], IMAGE))
  })

/** Renders the base with components and patches, and returns the objects by kind. */
export const renderBase = async (kustomization: Readonly<Record<string, unknown>> = {}) =>
  byKind(await kubectlOnBase(['kustomize'], kustomization))

/**
 * Runs kubectl on the folder of a kustomization that has the base with components and patches.
 * @param command of kubectl, before the folder
 */
export async function kubectlOnBase(
  command: readonly string[],
  kustomization: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { kubectl } = await ensureBinaries()
  if (kubectl === undefined) throw new Error('KUBEBUILDER_ASSETS has no kubectl')
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-kustomize-'))
  try {
    const { components = [], ...rest } = kustomization
    const within = (path: string): string => join(relative(folder, KUSTOMIZE), path)
    const text = stringify({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [within('base')],
      components: (components as string[]).map((name) => within(`components/${name}`)),
      images: [{ name: 'sliceflow', newName: 'sliceflow', newTag: '0.1.0' }],
      ...rest,
    })
    await writeFile(join(folder, 'kustomization.yaml'), text)
    return (await run(kubectl, [...command, folder])).stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}

function byKind(text: string): ReadonlyMap<string, Json> {
  const objects: Json[] = parseAllDocuments(text).map((document) => document.toJS())
  return new Map(objects.filter((object) => object !== null).map((object) => [object.kind, object]))
}
