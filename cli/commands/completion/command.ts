import type { Command } from 'commander'
import type { CommandEntry } from '../../command-entry.ts'
import { createProgram } from '../../create-program.ts'
import { createCommand } from '../../options/create-command.ts'
import { kubeconfigFiles } from '../../options/kubeconfig.ts'
import { UsageError } from '../../usage.ts'
import { bashScript, fishScript, nodesOf, zshScript } from './scripts.ts'

const HELP = `
Completes commands, flags, the values of flags that have few, and after --context the contexts of $KUBECONFIG or ~/.kube/config.

Examples:
  Bash, for this session; for all of them, add the line to ~/.bashrc:
    $ source <(sliceflow completion bash)
  Zsh, in ~/.zshrc:
    $ source <(sliceflow completion zsh)
  Fish:
    $ sliceflow completion fish > ~/.config/fish/completions/sliceflow.fish`

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/**
 * Makes the `completion` command, which prints what a shell needs to complete the others.
 * @param commands all that there are
 */
export const completionCommand = (commands: readonly CommandEntry[]): Command =>
  createCommand({ help: HELP })
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => {
      // What the scripts ask for.
      if (shell === 'contexts') return printContexts()
      if (!Object.hasOwn(SCRIPTS, shell))
        throw new UsageError(`completion: "${shell}" is none of the shells bash, zsh and fish`)
      process.stdout.write(SCRIPTS[shell as keyof typeof SCRIPTS](nodesOf(await createProgram(commands))))
    })

async function printContexts(): Promise<void> {
  // Loaded when it is needed: the API client would slow down every --help.
  const { contextNames } = await import('../../../shared/kubernetes/index.ts')
  for (const name of await contextNames(kubeconfigFiles(process.env))) process.stdout.write(`${name}\n`)
}
