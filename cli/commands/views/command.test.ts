import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadSpecFile } from '../../../shared/views/index.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { outputOf, runSliceflow } from '../../program.fixtures.ts'
import { pipeEvents } from './events.ts'
import { documentFormat, type FormatOutcome } from './output.ts'

const ENDPOINTS = new URL('../../../examples/views/endpoints.yaml', import.meta.url).pathname
const LISTS = new URL('../../../examples/views/endpoint-lists.yaml', import.meta.url).pathname

interface Line {
  event: number
  pipeline: { controller: string; type: string }[]
  view: { type: string; object: { kind: string; metadata: { name: string } } }[]
  errors: string[]
}

const [walkthrough = ''] = readFileSync(
  new URL('../../../shared/views/testdata/cases.jsonl', import.meta.url),
  'utf8',
).split('\n')
const { events } = JSON.parse(walkthrough) as { events: object[] }
const linesOf = (...values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')

async function deltas(spec: string, input: string, format?: FormatOutcome): Promise<Line[]> {
  const output = new PassThrough()
  const done = pipeEvents(await loadSpecFile(spec), Readable.from([Buffer.from(input)]), output, format)
  const [printed] = await Promise.all([text(output), done.then(() => output.end())])
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}
const countsOf = ({ view }: Line, kind = 'EndpointView'): string => {
  const types = view.filter(({ object }) => object.kind === kind).map(({ type }) => type)
  return [...new Set(types)].map((type) => `${types.filter((one) => one === type).length} ${type}`).join(', ')
}

describe('events on a stream', () => {
  it('give the numbers of the walkthrough, a line each after that of the start', async () => {
    const endpoints = await deltas(ENDPOINTS, linesOf(...events))
    expect(endpoints.map(({ event }) => event)).toEqual([0, 1, 2, 3, 4])
    expect(endpoints.map((line) => countsOf(line))).toEqual(['', '', '4 Added', '2 Added', '6 Deleted'])
    const lists = await deltas(LISTS, linesOf(...events))
    expect(lists.map((line) => countsOf(line))).toEqual(['', '', '2 Added', '2 Updated', '2 Deleted'])
  })

  it('may begin with a byte order mark, in pieces of any size', async () => {
    const output = new PassThrough()
    const bytes = [...Buffer.from(`\uFEFF${linesOf(events[0])}`)].map((byte) => Buffer.of(byte))
    const done = pipeEvents(await loadSpecFile(ENDPOINTS), Readable.from(bytes), output)
    const [printed] = await Promise.all([text(output), done.then(() => output.end())])
    expect(printed).toContain('"name":"testsvc-0"')
    expect(printed).not.toContain('not JSON')
  })

  it('give what the controllers gave to their targets, whole objects, and no old ones', async () => {
    const [, line] = await deltas(ENDPOINTS, linesOf(events[0]))
    const object = {
      apiVersion: 'op.view.dcontroller.io/v1alpha1',
      kind: 'ServiceView',
      metadata: { name: 'testsvc-0', namespace: 'default' },
      spec: {
        serviceName: 'testsvc',
        type: 'ClusterIP',
        ports: { name: 'http', protocol: 'TCP', port: 80, targetPort: 80 },
      },
    }
    expect(line?.pipeline[0]).toEqual({ controller: 'service-controller', type: 'Upserted', object })
    expect(line?.view[0]).toEqual({ type: 'Added', object })
    expect(line?.errors).toEqual([])
  })

  it('may be bad: each is reported in its line, and the others continue', async () => {
    const bad = [
      '{',
      'null',
      '7',
      '{"type":"Gone"}',
      '{}',
      '{"type":"Added"}',
      '{"type":"Sync","controller":5}',
    ]
    const lines = await deltas(
      ENDPOINTS,
      `${bad.join('\n')}\n\n${linesOf({ type: 'Sync', controller: 'x' }, events[0])}`,
    )
    expect(lines.slice(1).map(({ errors }) => errors)).toEqual([
      [expect.stringMatching(/^event: not JSON: /)],
      [expect.stringMatching(/^event: expected a JSON object with type and object/)],
      [expect.stringMatching(/^event: expected a JSON object with type and object/)],
      [expect.stringMatching(/^event: expected one of the types Added, .*, Sync, found "Gone"$/)],
      [expect.stringMatching(/^event: expected one of the types Added, .*, Sync, found none$/)],
      ['event: object: it is not a JSON object'],
      ['event: Sync: expected the name of a controller'],
      ['event: there is no controller "x"'],
      [],
    ])
    expect(lines.at(-1)?.view).toHaveLength(2)
  })

  it('may give more than can be printed: that is reported, and the others continue', async () => {
    const json = documentFormat('json')
    const lines = await deltas(ENDPOINTS, linesOf(events[0], { type: 'Sync' }), (event, outcome) => {
      // What V8 throws for a text above half a gigabyte, which takes seconds to make.
      if (event === 1 && outcome.view.length > 0) throw new RangeError('Invalid string length')
      return json(event, outcome)
    })
    expect(lines[1]).toMatchObject({
      view: [],
      errors: [expect.stringMatching(/too large to print: Invalid string length/)],
    })
    expect(lines[2]).toMatchObject({ event: 2, errors: [] })
    expect(lines[2]?.pipeline).toHaveLength(2)
  })

  it('give everything again with Sync, which changes no view', async () => {
    const lines = await deltas(
      ENDPOINTS,
      linesOf(events[0], { type: 'Sync' }, { type: 'Sync', controller: 'service-controller' }),
    )
    expect(lines.slice(2).map(({ pipeline, view }) => [pipeline.length, view.length])).toEqual([
      [2, 0],
      [2, 0],
    ])
  })
})

describe('the help', () => {
  it('has an example that works', async () => {
    const { stdout: help } = await runSliceflow('views', '--help')
    const [line] = (await deltas(ENDPOINTS, /echo '(.*)' \|/.exec(help)?.[1] ?? '')).slice(1)
    expect(line?.errors).toEqual([])
    expect(countsOf(line as Line, 'ServiceView')).toBe('1 Added')
  })
})

describe('the command', () => {
  let folder: string
  beforeEach(() => {
    folder = temporaryFolder()
  })

  const run = (...args: string[]): Promise<string> => outputOf('views', ...args)

  it('draws the spec', async () => {
    expect(await run('--spec', ENDPOINTS, '--graph', 'mermaid')).toMatch(/^flowchart LR\n/)
    expect(await run('--spec', ENDPOINTS, '--graph', 'dot')).toMatch(/^digraph views \{\n/)
  })

  it('reads events from a file, and explains', async () => {
    const file = join(folder, 'events.ndjson')
    writeFileSync(file, linesOf(...events.slice(0, 2)))
    const explain = (name: string) => run('--spec', LISTS, '--events', file, '--explain', name)
    const lines = (await explain('default/testsvc-TCP-80')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).object.kind)).toEqual(['ServiceView', 'EndpointView'])
    await expect(explain('a/b')).rejects.toThrow('there is no view object a/b')
  })

  it('shows all that is wrong with a spec', async () => {
    const file = join(folder, 'bad.yaml')
    writeFileSync(file, 'controllers:\n  - pipeline: [{ "@slect": true }]\n')
    await expect(run('--spec', file, '--events', '-')).rejects.toThrow(
      [
        `${file}:2:5: controller: expected a name`,
        `${file}:2:5: controller: expected at least one source in sources`,
        `${file}:2:5: controller: expected a target`,
        `${file}:2:18: there is no pipeline step @slect; did you mean @select?`,
      ].join('\n'),
    )
  })

  it('says what is wrong with its flags', async () => {
    await expect(run('--spec', join(folder, 'none'), '--events', '-')).rejects.toThrow(
      /^failed to read the spec .*none/,
    )
    await expect(run('--spec', ENDPOINTS, '--events', join(folder, 'none'))).rejects.toThrow(
      /^failed to read the changes .*none.* with --events/,
    )
    await expect(run('--spec', ENDPOINTS, '--events', folder)).rejects.toThrow(/it is a directory/)
  })
})
