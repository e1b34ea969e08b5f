import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { App, Stack, Stage } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll } from 'vitest'
import { DEPLOYMENT_FILE } from '../../functions/environment/index.ts'
import { readContext } from '../context.ts'
import { projectContext } from '../project-context.ts'
import { SliceflowStack } from '../stack.ts'
import { type Bundles, bundlesIn } from './functions/bundles.ts'
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
 * leave it behind. Without what CDK writes of each construct beside the templates, a synth is quicker.
 */
export const testApp = (
  bundles: Bundles,
  outdir = mkdtempSync(join(dirname(bundles.relay), 'cdk.out-')),
): App =>
  new App({
    outdir,
    context: { ...projectContext(), '@aws-cdk/core:enableAdditionalMetadataCollection': false },
    analyticsReporting: false,
    treeMetadata: false,
  })

/**
 * Bundles that hold nothing: what they hold is tested where it runs. Gone after the tests of the block that
 * calls it.
 */
export function emptyBundles(): Bundles {
  const folder = mkdtempSync(join(tmpdir(), 'sliceflow-bundles-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const bundles = bundlesIn(folder)
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

/** Creates the stack that the context of the command describes: ids and names, as texts. */
export const stackIn = (bundles: Bundles, context: Readonly<Record<string, unknown>>): Stack =>
  new SliceflowStack(
    testApp(bundles),
    readContext({ clusters: [EKS], region: 'eu-west-1', ...context }),
    bundles,
  )

export const templateOf = (...args: Parameters<typeof stackOf>): Template =>
  Template.fromStack(stackOf(...args))

export interface Resource {
  readonly Type: string
  readonly Properties: Readonly<Record<string, unknown>>
  readonly DependsOn?: readonly string[]
}

/** Returns the resources of a type, by their logical ids. */
export const resourcesOf = (template: Template, type: string): [string, Resource][] =>
  Object.entries(template.findResources(type)) as [string, Resource][]

export interface Statement {
  readonly Action: string | readonly string[]
  readonly Resource: unknown
  readonly Condition?: unknown
}

/** Returns what the policies say whose logical ids have this part; by default all. */
export const statementsOf = (template: Template, part = ''): Statement[] =>
  resourcesOf(template, 'AWS::IAM::Policy')
    .filter(([id]) => id.includes(part))
    .flatMap(([, { Properties }]) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement)

/**
 * Returns the variables that a function or a relay reads: those of its environment, and those of the file
 * beside its code. What CloudFormation fills in is missing.
 * @param part of the logical id, such as `Reconcile` or `RelayTask0`
 */
export function variablesOf(stack: Stack, part: string): Record<string, string> {
  const template = Template.fromStack(stack)
  const types = ['AWS::Lambda::Function', 'AWS::ECS::TaskDefinition']
  const [found] = types.flatMap((type) => resourcesOf(template, type)).filter(([id]) => id.includes(part))
  if (found === undefined) throw new Error(`there is no function or task ${part}`)
  const [, { Properties }] = found
  const [container] = (Properties.ContainerDefinitions ?? []) as { Environment: Variable[]; Image: unknown }[]
  const { Variables = {} } = (Properties.Environment ?? {}) as { Variables?: Record<string, unknown> }
  const environment = container
    ? Object.fromEntries(container.Environment.map(({ Name, Value }) => [Name, Value]))
    : Variables
  const texts = Object.entries(environment).filter(([, value]) => typeof value === 'string')
  const [hash = ''] = /[0-9a-f]{64}/.exec(JSON.stringify(container?.Image ?? Properties.Code)) ?? []
  const file = hash && join(assetFolder(stack, hash), DEPLOYMENT_FILE)
  const beside = file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  return { ...beside, ...(Object.fromEntries(texts) as Record<string, string>) }
}

/** Returns the folder of an asset of a stack that has been synthesized. */
export function assetFolder(stack: Stack, hash: string): string {
  const outdir = Stage.of(stack)?.outdir ?? ''
  const { files, dockerImages } = JSON.parse(
    readFileSync(join(outdir, `${stack.artifactId}.assets.json`), 'utf8'),
  )
  const { path, directory } = (files[hash] ?? dockerImages[hash]).source
  return join(outdir, path ?? directory)
}

interface Variable {
  readonly Name: string
  readonly Value: unknown
}
