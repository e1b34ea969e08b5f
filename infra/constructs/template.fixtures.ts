import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll } from 'vitest'
import { projectContext } from '../project-context.ts'
import type { Bundles } from './index.ts'
import { Sliceflow, type SliceflowProps } from './index.ts'

export const EKS = { name: 'eu-1', kind: 'eks', clusterName: 'prod', region: 'eu-west-1' } as const
export const ELSEWHERE = {
  ...EKS,
  name: 'us-1',
  region: 'us-east-1',
  roleArn: 'arn:aws:iam::210987654321:role/sliceflow',
} as const
export const SECRET = {
  name: 'edge',
  kind: 'secret',
  secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:edge-AbCdEf',
} as const
export const SEARCH = { kind: 'discover', region: 'eu-west-1', tagKey: 'sliceflow.dev/manage' } as const

/**
 * Creates an app with our feature flags. Its output lies beside the bundles and goes with them; CDK would
 * leave it behind.
 */
export const testApp = (
  bundles: Bundles,
  outdir = mkdtempSync(join(dirname(bundles.relay), 'cdk.out-')),
): App => new App({ outdir, context: { ...projectContext() } })

/**
 * Bundles that hold nothing: what they hold is tested where it runs. Gone after the tests of the block that
 * calls it.
 */
export function emptyBundles(): Bundles {
  const folder = mkdtempSync(join(tmpdir(), 'sliceflow-bundles-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const bundles = {
    reconcile: join(folder, 'reconcile'),
    audit: join(folder, 'audit'),
    viewPublisher: join(folder, 'view-publisher'),
    relay: join(folder, 'relay'),
  }
  for (const [name, path] of Object.entries(bundles)) {
    mkdirSync(path)
    writeFileSync(join(path, name === 'relay' ? 'main.mjs' : 'index.mjs'), `// ${name}\n`)
  }
  writeFileSync(join(bundles.relay, 'Dockerfile'), 'FROM scratch\n')
  return bundles
}

/** Creates a stack with a Sliceflow of these props, in eu-west-1. */
export function stackOf(
  props: Partial<SliceflowProps> & { readonly bundles: Bundles },
  app = testApp(props.bundles),
): Stack {
  const stack = new Stack(app, 'Test', { env: { region: 'eu-west-1' } })
  new Sliceflow(stack, 'Sliceflow', { clusters: [EKS], ...props })
  return stack
}

export const templateOf = (...args: Parameters<typeof stackOf>): Template =>
  Template.fromStack(stackOf(...args))

export interface Resource {
  readonly Type: string
  readonly Properties: Readonly<Record<string, unknown>>
}

/** Returns the resources of a type, by their logical ids. */
export const resourcesOf = (template: Template, type: string): [string, Resource][] =>
  Object.entries(template.findResources(type)) as [string, Resource][]
