import { pipeline } from 'node:stream/promises'
import * as v from 'valibot'
import {
  EndpointSliceError,
  type PlanEvent,
  type PlanState,
  plan,
  type SkippedObject,
} from '../../../shared/endpointslice/index.ts'
import { linesOf } from '../../../shared/ndjson/index.ts'
import { finite, object, record, safeParse } from '../../../shared/schema/index.ts'

/** Plans every case of the input, with backpressure; ends without an error if the output is closed. */
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

const objects = v.array(v.unknown())
const CASE = v.pipe(
  object({
    id: v.optional(v.union([v.string(), finite()])),
    service: v.optional(record(v.string(), v.unknown())),
    endpointSelector: v.optional(record(v.string(), v.unknown())),
    pods: objects,
    nodes: v.nullish(objects),
    slices: v.nullish(objects),
    maxEndpointsPerSlice: v.optional(v.pipe(v.number(), v.safeInteger())),
    triggerTime: v.optional(v.string()),
    controllerName: v.optional(v.string()),
    packing: v.optional(v.picklist(['upstream', 'compact'])),
  }),
  v.check(
    ({ service, endpointSelector }) => (service === undefined) !== (endpointSelector === undefined),
    'give a service or an endpointSelector',
  ),
)

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
  const faults = parsed.issues.map(({ path, message }) => `${path.join('.') || 'case'}: ${message}`)
  return { ...idOf(json), error: `line ${number}: ${faults.join('; ')}` }
}

function planCase(parsed: v.InferOutput<typeof CASE>, number: number): object {
  const { service, endpointSelector, pods, nodes, slices, maxEndpointsPerSlice, triggerTime, packing } =
    parsed
  // plan() checks each object itself and leaves out what it cannot read.
  const owner = service === undefined ? { endpointSelector } : { service }
  const state = { ...owner, pods, nodes: nodes ?? [], slices: slices ?? [] } as unknown as PlanState
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
