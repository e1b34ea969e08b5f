import { type Command, Option } from 'commander'
import { labelName } from '../../../shared/kubernetes/index.ts'
import { UsageError } from '../usage.ts'

const option = (description: string): Option =>
  new Option('-n, --namespace <name>', description).argParser(parseNamespace)

/** Adds the flag of commands about one Service, as kubectl has it. */
export const addNamespace = (command: Command): Command =>
  command.addOption(option('namespace of the Service, where the argument is NAME alone'))

/** Adds the flags of commands about all Services, or those of one namespace, as kubectl has them. */
export const addNamespaces = (command: Command): Command =>
  command
    .addOption(option('only this namespace').conflicts('allNamespaces'))
    .addOption(new Option('-A, --all-namespaces', 'all namespaces, which is the default'))

/** @throws UsageError */
function parseNamespace(text: string): string {
  if (labelName(text).length === 0) return text
  throw new UsageError(`--namespace: "${text}" is not the name of a namespace, such as shop`)
}
