import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { Command, CommanderError, Option } from 'commander'
import { endWithReader, prepareCommand } from '../functions/cli/index.ts'
import { readContext } from './context.ts'
import { contextOf, type DeployOptions, FLAG_KEYS } from './flags.ts'
import { projectContext, ROOT } from './project-context.ts'
import { checkDeployment, DeploymentError, describeSettable } from './settings/index.ts'

const HELP = `
Clusters, each by one --cluster:
  eu-1                              the EKS cluster of this name, in --region
  eu-1=arn:aws:eks:REGION:ACCOUNT:cluster/NAME
                                    an EKS cluster of this account, by its ARN
  edge=arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME-SUFFIX
                                    any cluster, by a secret {"server": …, "ca": …, "token": …}
More (other accounts, many clusters) by the context: infra/README.md

Examples:
  $ npm run synth -- --cluster eu-1 --region eu-west-1
  $ npm run deploy -- --cluster eu-1 --cluster us-1=arn:aws:eks:us-east-1:123456789012:cluster/prod --region eu-west-1
  $ npm run deploy -- --tag sliceflow.dev/manage --region eu-west-1 --set maximumConcurrency=20
  $ npm run deploy -- --cluster eu-1 --region eu-west-1 --vpc-id vpc-0123456789abcdef0 --subnet-ids subnet-0aaaaaaaaaaaaaaaa,subnet-0bbbbbbbbbbbbbbbb --functions-in-vpc --cluster-security-group-ids sg-0123456789abcdef0`

/** Clusters of a deployment whose templates somebody only wants to see. */
const EXAMPLE = { cluster: ['example'], region: 'eu-west-1' }

const SETTINGS = describeSettable().map(({ name }) => name)

const program = new Command('deployment').description(
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
      .addOption(repeated('--cluster <cluster>', 'a cluster; may be repeated'))
      .option('--tag <key[=value]>', 'every EKS cluster of the region with this tag')
      .option('--region <region>', 'region to deploy to (default: AWS_REGION)')
      .option('--stack <name>', 'name of the stack', 'Sliceflow')
      .addOption(repeated('--set <setting=value>', `a setting; may be repeated: ${SETTINGS.join(', ')}`))
      .addOption(repeated('-c, --context <key=value>', 'further context of the app, as for the cdk command'))
      .argument('[cdk-options...]', 'options for the cdk command, after --')
      .addHelpText('after', HELP)
      .action(async (more: string[], options: DeployOptions) => {
        process.exitCode = await cdk(name, options, more)
      }),
  )

prepareCommand(program)
endWithReader()

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
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

/** Runs CDK's command with the context that the flags mean; its exit code is ours. */
async function cdk(command: string, options: DeployOptions, more: readonly string[]): Promise<number> {
  const isExample =
    command === 'synth' && options.cluster.length + options.context.length === 0 && options.tag === undefined
  const given = isExample ? { ...options, ...EXAMPLE } : options
  const pairs = contextOf(given, process.env)
  // By itself, as CDK and its app take half a minute to say the same.
  checkDeployment(readContext({ ...projectContext(), ...Object.fromEntries(pairs.map(entryOf)) }))
  const quiet = command === 'synth' ? ['--quiet', '--no-lookups'] : []
  const app = `${JSON.stringify(process.execPath)} infra/app.ts`
  const args = [
    createRequire(import.meta.url).resolve('aws-cdk/bin/cdk'),
    command,
    '--app',
    app,
    ...quiet,
    ...pairs.flatMap((pair) => ['--context', pair]),
    ...more,
  ]
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      ...(options.region !== undefined && { AWS_REGION: options.region }),
    },
  })
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve(status ?? 1))
  })
  if (code === 0 && command === 'synth')
    process.stderr.write(
      `The templates are in infra/cdk.out${isExample ? ', of an example: name your clusters with --cluster' : ''}.\n`,
    )
  return code
}

function entryOf(pair: string): [string, string] {
  const separator = pair.indexOf('=')
  return [pair.slice(0, separator), pair.slice(separator + 1)]
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  process.stderr.write(`deployment: ${error instanceof Error ? error.message : String(error)}\n`)
  return error instanceof DeploymentError ? 2 : 1
}
