import { Command, CommanderError, Option } from 'commander'
import { helpText, prepareCommand } from '../cli/index.ts'
import { errorMessage } from '../shared/values/index.ts'
import { readContext } from './context.ts'
import { contextOf, type DeployOptions, FLAG_KEYS } from './flags.ts'
import { projectContext } from './project-context.ts'
import { checkDeployment, DeploymentError, describeSettable } from './settings/index.ts'

/** Text that `--help` of each command has after its flags. */
export const HELP = `
Clusters, each by one --cluster:
  eu-1                              the EKS cluster of this name, in --region
  eu-1=arn:aws:eks:REGION:ACCOUNT:cluster/NAME
                                    an EKS cluster by its ARN; it must be in the account to deploy to
  theirs=arn:aws:eks:REGION:ACCOUNT:cluster/NAME,arn:aws:iam::ACCOUNT:role/ROLE[,EXTERNAL_ID]
                                    an EKS cluster of another account, by a role there
  edge=arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME-SUFFIX
                                    any cluster, by a secret {"server": …, "ca": …, "token": …}
Many clusters by a file, --clusters FILE: infra/README.md

Examples:
  $ npm run synth -- --cluster eu-1 --region eu-west-1
  $ npm run deploy -- --cluster eu-1 --cluster us-1=arn:aws:eks:us-east-1:123456789012:cluster/prod --region eu-west-1
  $ npm run deploy -- --tag sliceflow.dev/manage --region eu-west-1 --set maximumConcurrency=20
  $ npm run deploy -- --cluster eu-1 --region eu-west-1 --vpc-id vpc-0123456789abcdef0 --subnet-ids subnet-0aaaaaaaaaaaaaaaa,subnet-0bbbbbbbbbbbbbbbb --functions-in-vpc --cluster-security-group-ids sg-0123456789abcdef0`

/** Clusters of the example deployment of `synth` without clusters. */
const EXAMPLE = { cluster: ['example'], region: 'eu-west-1' }

const SETTINGS = describeSettable().map(({ name }) => name)

/** A command of CDK that the flags come to. */
export interface CdkCall {
  readonly command: string
  /** Context of the app, `key=value` each. */
  readonly context: readonly string[]
  readonly region?: string | undefined
  /** Reports whether no cluster was named, so that the templates are those of an example. */
  readonly isExample: boolean
  /** Further options of CDK's command. */
  readonly more: readonly string[]
}

/**
 * Creates the program behind `npm run synth` and `npm run deploy`.
 * @param call runs CDK, after everything that can be known without it was checked
 */
export function deploymentProgram(call: (cdk: CdkCall) => Promise<void>): Command {
  const program = new Command('npm run').description(
    'write the CloudFormation templates of Sliceflow, deploy them, or delete the deployment',
  )
  for (const [name, description] of Object.entries({
    synth: 'write the templates to infra/cdk.out; needs no AWS account, no Docker and no network',
    diff: 'show what a deployment would change',
    deploy: 'deploy; needs credentials of AWS and Docker, which builds the image of the relay',
    destroy: 'delete the deployment; slices stay as they are in the clusters',
  }))
    program.addCommand(
      withKeys(new Command(name))
        .description(description)
        .usage('-- [options] [-- cdk-options...]')
        .addOption(repeated('--cluster <cluster>', 'a cluster; may be repeated'))
        .option('--clusters <file>', 'a file with a list of clusters, in JSON or YAML')
        .option('--tag <key[=value]>', 'every EKS cluster of the region with this tag')
        .option('--region <region>', 'region to deploy to (default: AWS_REGION)')
        .option('--account <id>', 'account to deploy to; credentials of another are refused')
        .option('--stack <name>', 'name of the stack', 'Sliceflow')
        .addOption(repeated('--set <setting=value>', `a setting; may be repeated: ${SETTINGS.join(', ')}`))
        .addOption(
          repeated('-c, --context <key=value>', 'further context of the app, as for the cdk command'),
        )
        .argument('[cdk-options...]', 'options for the cdk command, after --')
        .addHelpText('after', helpText(HELP))
        .action((more: string[], options: DeployOptions) => call(checked(name, options, more))),
    )
  prepareCommand(program)
  return program
}

/**
 * Runs the program; errors are written to standard error.
 * @param args those after the program's name
 * @returns the exit code: 1 failed, 2 wrong use or a deployment that cannot be; none where nothing was wrong
 */
export async function runDeployment(
  args: readonly string[],
  call: (cdk: CdkCall) => Promise<void>,
): Promise<number | undefined> {
  try {
    await deploymentProgram(call).parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    // Commander has printed its own errors already; --help is one with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`deployment: ${errorMessage(error)}\n`)
    return error instanceof DeploymentError ? 2 : 1
  }
}

/** @throws DeploymentError by itself, as CDK and its app take half a minute to say the same */
function checked(command: string, options: DeployOptions, more: readonly string[]): CdkCall {
  const isExample =
    command === 'synth' &&
    options.cluster.length + options.context.length === 0 &&
    options.clusters === undefined &&
    options.tag === undefined
  const given = isExample ? { ...EXAMPLE, ...options, cluster: EXAMPLE.cluster } : options
  const context = contextOf(given, process.env)
  checkDeployment(readContext({ ...projectContext(), ...Object.fromEntries(context.map(entryOf)) }))
  return { command, context, region: given.region, isExample, more }
}

function entryOf(pair: string): [string, string] {
  const separator = pair.indexOf('=')
  return [pair.slice(0, separator), pair.slice(separator + 1)]
}

/** Adds a flag for each key of the context that is one, such as --vpc-id for vpcId. */
function withKeys(command: Command): Command {
  for (const [key, what] of Object.entries(FLAG_KEYS)) {
    const flag = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const isTruth = what.startsWith('true: ')
    command.addOption(
      new Option(isTruth ? flag : `${flag} <value>`, isTruth ? what.slice('true: '.length) : what).helpGroup(
        'Into an existing network and account:',
      ),
    )
  }
  return command
}

function repeated(flags: string, description: string): Option {
  return new Option(flags, description)
    .argParser((value: string, all: string[]) => [...all, value])
    .default([], 'none')
}
