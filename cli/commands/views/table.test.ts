import { readFileSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { loadSpecFile, type Outcome } from '../../../shared/views/index.ts'
import type { Terminal } from '../../terminal/index.ts'
import { pipeEvents } from './events.ts'
import { documentFormat, NOTHING_SHOWN } from './output.ts'
import { tableFormat } from './table.ts'

const ENDPOINTS = new URL('../../../examples/views/endpoints.yaml', import.meta.url).pathname
const [walkthrough = ''] = readFileSync(
  new URL('../../../shared/views/testdata/cases.jsonl', import.meta.url),
  'utf8',
).split('\n')

const PIPE: Terminal = { isTerminal: false, columns: 80, style: (_, given) => given }
const TERMINAL: Terminal = {
  ...PIPE,
  isTerminal: true,
  columns: 50,
  style: (style, given) => `<${style}>${given}</>`,
}

const changed = (type: 'Added' | 'Updated' | 'Deleted', name: string, more: object = {}): Outcome => ({
  pipeline: [],
  view: [
    {
      type,
      object: { apiVersion: 'v1', kind: 'EndpointView', metadata: { name, namespace: 'shop' }, ...more },
    },
  ] as never,
  problems: [],
})

/** Returns what is written to standard error, beside the views of these lines. */
async function saidBeside(input: string, format = tableFormat(PIPE)): Promise<string> {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    await pipeEvents(
      await loadSpecFile(ENDPOINTS),
      Readable.from([input]),
      new PassThrough().resume(),
      format,
    )
    return written.mock.calls.map(([line]) => String(line)).join('')
  } finally {
    written.mockRestore()
  }
}

describe('a table of changes', () => {
  it('says that it has nothing to show, where nothing made a view', async () => {
    const { events } = JSON.parse(walkthrough) as { events: object[] }
    expect(await saidBeside('')).toBe(NOTHING_SHOWN)
    expect(await saidBeside(`${JSON.stringify(events[0])}\n`)).toBe('')
    expect(await saidBeside('', documentFormat('json'))).toBe('')
  })

  it('has a row an object that changed, with its values', async () => {
    const { events } = JSON.parse(walkthrough) as { events: object[] }
    const input = events.map((event) => `${JSON.stringify(event)}\n`).join('')
    const output = new PassThrough()
    const done = pipeEvents(
      await loadSpecFile(ENDPOINTS),
      Readable.from([Buffer.from(input)]),
      output,
      tableFormat(PIPE),
    )
    const [printed] = await Promise.all([text(output), done.then(() => output.end())])
    const [header = '', ...rows] = printed.trimEnd().split('\n')
    expect(header.trim().split(/ +/)).toEqual(['EVENT', 'CHANGE', 'KIND', 'NAMESPACE', 'NAME', 'VALUES'])
    const views = rows.filter((row) => row.includes(' EndpointView '))
    expect(views.map((row) => row.trim().split(/ +/).slice(0, 2).join(' '))).toEqual([
      ...Array(4).fill('2 Added'),
      ...Array(2).fill('3 Added'),
      ...Array(6).fill('4 Deleted'),
    ])
    expect(views[0]).toMatch(/ default +\S+ +serviceName=testsvc /)
  })

  it('prints nothing where no view changed, and problems by their event', () => {
    const format = tableFormat(PIPE)
    expect(format(0, { pipeline: [], view: [], problems: [] })).toBe('')
    const problem = { controller: 'c', step: '@join', objects: ['shop/web'], message: 'no \u001b[2J' }
    expect(format(1, { pipeline: [], view: [], problems: [problem] })).toBe(
      '1: c: @join: shop/web: no  [2J\n',
    )
  })

  it('lets columns grow, and repeats no header', () => {
    const format = tableFormat(PIPE)
    expect(format(0, changed('Added', 'web', { spec: { port: 80, ready: [true] } }))).toBe(
      'EVENT  CHANGE  KIND          NAMESPACE  NAME  VALUES\n' +
        '0      Added   EndpointView  shop       web   port=80 ready.0=true\n',
    )
    expect(format(1, changed('Deleted', 'a-longer-name'))).toBe(
      '1      Deleted  EndpointView  shop       a-longer-name\n',
    )
  })

  it('has colours on a terminal, and cuts what it has no room for', () => {
    const format = tableFormat(TERMINAL)
    const lines = format(0, changed('Deleted', 'web', { spec: { port: 80, address: '10.0.0.1' } })).split(
      '\n',
    )
    expect(lines[0]).toMatch(/^<bold>EVENT/)
    expect(lines[1]).toMatch(/^0 +<red>Deleted<\/> .*…$/)
    expect(lines[1]?.replace(/<.*?>/g, '')).toHaveLength(50)
  })
})
