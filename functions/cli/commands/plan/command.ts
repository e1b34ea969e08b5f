import { pipeline } from 'node:stream/promises'
import { Command } from 'commander'
import * as z from 'zod/mini'
import {
  EndpointSliceError,
  type PlanEvent,
  type PlanState,
  plan,
  type SkippedObject,
} from '../../../../shared/endpointslice/index.ts'
import { linesOf } from '../../../../shared/ndjson/index.ts'
import { safeParse } from '../../../../shared/schema/index.ts'
import { contextsOption } from '../../options/context.ts'
import type { Flags } from '../../options/flag-groups.ts'
import { addFleet } from '../../options/fleet.ts'
import { addKubeconfig } from '../../options/kubeconfig.ts'
import { addNamespaces } from '../../options/namespace.ts'
import { outputOption } from '../../options/output.ts'
import { addSettings, FLEET_PLAN_SETTINGS } from '../../options/settings.ts'
import { helpText } from '../../output/help-text.ts'
import { UsageError } from '../../usage.ts'

const EXAMPLE = `
Each line of the input is a case, each line of the output the plan for it, in the same order:

  case:  {"id": …, "service": {…}, "pods": [{…}], "nodes": [{…}], "slices": [{…}],
         "maxEndpointsPerSlice": 100, "triggerTime": "RFC 3339", "controllerName": "sliceflow.dev",
         "packing": "upstream"}
  plan:  {"id": …, "create": [{…}], "update": [{…}], "delete": ["name"], "events": ["text"], "error": "text"}

Objects are in the JSON form of the API. \`pods\` are those that the Service selects, \`slices\` those labelled with its
name and with controllerName (the managed-by value). \`nodes\` and \`slices\` may be left out when there are none, the last
four fields for their defaults; \`packing\` is upstream or compact. \`error\` names what a plan had to leave out; a
malformed line gives only \`{"id": …, "error": "what is wrong"}\`, and the rest go on.

Example:
  $ echo '{"id": 1, "service": {"metadata": {"name": "web", "namespace": "shop", "uid": "u1"}, "spec": {"clusterIP": "10.96.0.7", "ports": [{"port": 80, "targetPort": 8080}]}}, "pods": [{"metadata": {"name": "web-0", "namespace": "shop", "uid": "u2"}, "spec": {"nodeName": "n1"}, "status": {"podIPs": [{"ip": "10.0.0.5"}]}}], "nodes": [{"metadata": {"name": "n1"}}]}' | sliceflow plan

With --fleet nothing is read from stdin: it prints what the next reconcile of each Service of a cluster set (sliceflow run
--fleet) would create, update and delete in each cluster, and writes nothing; \`sliceflow rbac --fleet --read-only\` is enough.
The other flags belong to --fleet alone. Exit code 1 when a cluster cannot be read, and with --check when something would be written.
-o json prints one object: {version: 1, clusterSet, looked, services: [{namespace, service, clusters: [{cluster, state, reason,
writes: [{verb, kind, name, subresource, object}]}]}], failures: [{cluster, error}]}.

Examples:
  What would change if a cluster set were turned on:
    $ sliceflow plan --context eu-1 --context us-1 --fleet
  The same of one Service, as JSON:
    $ sliceflow plan --context eu-1 --context us-1 --fleet shop/web -o json`

/**
 * Makes the `plan` command: it reads NDJSON cases from stdin and writes NDJSON plans to stdout, or plans the
 * Services of a cluster set.
 */
export function planCommand(): Command {
  const command = new Command()
    .argument('[service]', 'with --fleet: NAME or NAMESPACE/NAME (default: all of the set)')
    .addOption(contextsOption())
    .addOption(outputOption('with --fleet: how to print it'))
    .option('--check', 'with --fleet: exit code 1 when something would be written', false)
    .addHelpText('after', helpText(EXAMPLE))
    .action(async (service: string | undefined, flags: Flags, { args }: Command) => {
      if (flags.fleet === undefined) {
        assertNoFleet(command, args)
        return pipePlans(process.stdin, process.stdout)
      }
      // Loaded when it is needed: the API client would slow down every --help.
      const { runPlanFleet } = await import('./run-fleet.ts')
      return runPlanFleet(service, flags)
    })
  addKubeconfig(command)
  addFleet(command)
  addNamespaces(command)
  return addSettings(command, FLEET_PLAN_SETTINGS)
}

/** Refuses what is about a cluster set where cases are read. @throws UsageError */
function assertNoFleet(command: Command, args: readonly string[]): void {
  const given = command.options.find(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  const what = given?.long ?? args[0]
  if (what !== undefined)
    throw new UsageError(
      `${what} is about a cluster set: give --fleet as well; without it cases are read from stdin`,
    )
}

/**
 * Plans every case of the input, with backpressure; ends without an error if the output is closed.
 */
export async function pipePlans(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<void> {
  try {
    await pipeline(input, linesOf, plansOf, output, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

async function* plansOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let number = 0
  for await (const line of lines) {
    number++
    if (line.trim() !== '') yield `${JSON.stringify(planLine(line, number))}\n`
  }
}

const objects = z.array(z.unknown())
const CASE = z.object({
  id: z.optional(z.union([z.string(), z.number()])),
  service: z.record(z.string(), z.unknown()),
  pods: objects,
  nodes: z.nullish(objects),
  slices: z.nullish(objects),
  maxEndpointsPerSlice: z.optional(z.int()),
  triggerTime: z.optional(z.string()),
  controllerName: z.optional(z.string()),
  packing: z.optional(z.enum(['upstream', 'compact'])),
})

/** @param number of the line, for the error */
function planLine(line: string, number: number): object {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch (error) {
    return { error: `line ${number}: not JSON: ${(error as SyntaxError).message}` }
  }
  const parsed = safeParse(CASE, json)
  if (parsed.success) return planCase(parsed.data, number)
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'case'}: ${message}`)
  return { ...idOf(json), error: `line ${number}: ${faults.join('; ')}` }
}

function planCase(parsed: z.infer<typeof CASE>, number: number): object {
  const { service, pods, nodes, slices, maxEndpointsPerSlice, triggerTime, packing } = parsed
  // plan() checks each object itself and leaves out what it cannot read.
  const state = { service, pods, nodes: nodes ?? [], slices: slices ?? [] } as unknown as PlanState
  try {
    const result = plan(state, {
      maxEndpointsPerSlice,
      triggerTime,
      packing,
      managedBy: parsed.controllerName,
    })
    return {
      ...idOf(parsed),
      create: result.create,
      update: result.update,
      delete: result.delete.map(({ metadata }) => metadata?.name),
      events: result.events.map(eventText),
      ...(result.skipped.length > 0 ? { error: result.skipped.map(skippedText).join('; ') } : undefined),
    }
  } catch (error) {
    if (!(error instanceof EndpointSliceError)) throw error
    return { ...idOf(parsed), error: `line ${number}: ${error.message}` }
  }
}

function idOf(json: unknown): { id?: unknown } {
  const id = (json as { id?: unknown } | null)?.id
  return id === undefined ? {} : { id }
}

const eventText = ({ type, reason, message }: PlanEvent): string => `${type} ${reason} ${message}`
const skippedText = ({ kind, namespace, name, message }: SkippedObject): string =>
  `skipped ${kind} ${namespace}/${name}: ${message}`
