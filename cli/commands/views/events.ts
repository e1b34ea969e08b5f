import { pipeline } from 'node:stream/promises'
import { linesOf } from '../../../shared/ndjson/index.ts'
import {
  createEngine,
  type Engine,
  type ObjectEvent,
  type OperatorSpec,
  type Outcome,
} from '../../../shared/views/index.ts'
import { documentFormat, explanations, type FormatOutcome, NOTHING_SHOWN } from './output.ts'

/** Prints the result of each line of the input, with backpressure; ends quietly once the output is closed. */
export async function pipeEvents(
  spec: OperatorSpec,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  format: FormatOutcome = documentFormat('json'),
): Promise<void> {
  const engine = createEngine(spec)
  try {
    const formatted = (lines: AsyncIterable<string>) => outputOf(engine, lines, format)
    await pipeline(input, linesOf, formatted, output, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

/** Reads all of the input, then explains the inputs of a view object. */
export async function explainEvents(
  spec: OperatorSpec,
  input: NodeJS.ReadableStream,
  reference: string,
): Promise<string> {
  const engine = createEngine(spec)
  await pipeline(input, linesOf, async (lines: AsyncIterable<string>) => {
    for await (const _ of outputOf(engine, lines, documentFormat('json')));
  })
  return explanations(engine, reference)
}

const TYPES: readonly unknown[] = ['Added', 'Updated', 'Upserted', 'Replaced', 'Deleted', 'Sync']

async function* outputOf(
  engine: Engine,
  lines: AsyncIterable<string>,
  format: FormatOutcome,
): AsyncGenerator<string> {
  let event = 0
  let isEmpty = true
  const shown = (outcome: Outcome): string => {
    const text = printable(event++, outcome, format)
    isEmpty &&= text === ''
    return text
  }
  yield shown(engine.start())
  for await (const line of lines) if (line.trim() !== '') yield shown(applyLine(engine, line))
  if (isEmpty) process.stderr.write(NOTHING_SHOWN)
}

/**
 * Formats an outcome, and reports one that is too long. A few long texts in each of many elements are small
 * in memory, but longer than any text can be when they are written out.
 */
function printable(event: number, outcome: Outcome, format: FormatOutcome): string {
  try {
    return format(event, outcome)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return format(event, failure(`its output is too large to print: ${error.message}`))
  }
}

function applyLine(engine: Engine, line: string): Outcome {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch (error) {
    return failure(`not JSON: ${(error as SyntaxError).message}`)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return failure('expected a JSON object with type and object, such as {"type": "Added", "object": {…}}')
  const { type, controller } = json as { type?: unknown; controller?: unknown }
  if (!TYPES.includes(type))
    return failure(
      `expected one of the types ${TYPES.join(', ')}, found ${JSON.stringify(type)?.slice(0, 100) ?? 'none'}`,
    )
  if (type !== 'Sync') return engine.apply(json as ObjectEvent)
  if (controller === undefined || typeof controller === 'string') return engine.sync(controller)
  return failure('Sync: expected the name of a controller')
}

const failure = (message: string): Outcome => ({
  pipeline: [],
  view: [],
  problems: [{ controller: '', step: 'event', objects: [], message }],
})
