import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { RecordingLine } from '../../../shared/recording/index.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { endpoint, write } from '../../history/lines.fixtures.ts'
import { ranBy } from '../../program.fixtures.ts'

const textOf = (...lines: readonly RecordingLine[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('')

const CAME = write(1, 'web-a - 1', { came: [endpoint(7)] })
const OTHER = write(2, 'cart-a - 2', { service: 'cart' })
const WENT = write(3, 'web-a 1 3', {
  went: [{ endpoint: endpoint(7), cause: 'Terminal' }],
  pods: { 'web-7': '812' },
})

let folder: string
let file: string

beforeEach(async () => {
  folder = temporaryFolder()
  file = join(folder, 'record.ndjson')
  await writeFile(file, textOf(CAME, OTHER, WENT))
})

/** Runs the command and returns its output; rejects with the error that the program would report. */
const history = (...args: readonly string[]) => ranBy('history', 'eu-1', 'shop/web', ...args)

const LEFT =
  '03:12:03.000  10.1.2.7 left: pod web-7 has ended (version 812); slice web-a, written by host-1\n'

describe('sliceflow history', () => {
  it('reports the timeline of a Service, the date once a day', async () => {
    const { stdout: printed, stderr: reported } = await history('--from', file)
    expect(printed).toBe(
      `2026-11-22\n03:12:01.000  10.1.2.7 came: pod web-7 is ready; new slice web-a, made by host-1\n${LEFT}`,
    )
    expect(reported).toBe('')
  })

  it('prints a part of it, or that there is none', async () => {
    const some = await history('--from', file, '--address', '10.1.2.7', '--since', '2026-11-22T03:12:02Z')
    expect(some.stdout).toBe(`2026-11-22\n${LEFT}`)
    expect((await history('--from', file, '--pod', 'web-8')).stdout).toBe(
      'nothing happened to it in that time\n',
    )
  })

  it('prints a line of JSON for each entry, or a document of YAML with the same fields', async () => {
    const { stdout: printed } = await history('--from', file, '-o', 'json')
    const lines = printed
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      { version: 1, kind: 'Write', action: 'create' },
      { version: 1, kind: 'Write', endpoints: [{ event: 'Left', pod: 'web-7', cause: 'Terminal' }] },
    ])
    const yaml = await history('--from', file, '-o', 'yaml', '-n', 'shop')
    expect(parseAllDocuments(yaml.stdout).map((document) => document.toJSON())).toEqual(lines)
  })

  it('prints what was published at a time', async () => {
    const { stdout: printed } = await history('--from', file, '--at', '2026-11-22T03:12:02Z')
    expect(printed).toContain('Published:  1 slice, 1 endpoint, 1 ready')
    const json = await history('--from', file, '--at', '2026-11-22T03:12:03Z', '-o', 'json')
    expect(JSON.parse(json.stdout)).toMatchObject({ version: 1, slices: [{ slice: 'web-a', endpoints: [] }] })
  })

  it('makes a page of what it prints', async () => {
    const report = join(folder, 'web.html')
    const { stdout: printed, stderr: reported } = await history('--from', file, '--report', report)
    expect(printed).toContain(LEFT)
    expect(reported).toBe(`the report is in ${report}\n`)
    expect(await readFile(report, 'utf8')).toContain('<td>10.1.2.7 left: pod web-7 has ended')
  })

  it('says before it reads a recording that a page cannot be made', async () => {
    await expect(history('--from', '/nowhere/recording', '--report', '/nowhere/report.html')).rejects.toThrow(
      'failed to write the report /nowhere/report.html: ENOENT',
    )
  })

  it('reads several recordings as one, and compressed ones, by time', async () => {
    const other = join(folder, 'other.ndjson.gz')
    await writeFile(file, textOf(WENT))
    await writeFile(other, gzipSync(textOf(CAME)))
    expect((await history('--from', file, other)).stdout).toMatch(/came: .*\n.* left: /)
  })

  it('names the lines that are broken or cut off, and reads on', async () => {
    await writeFile(file, `${textOf(CAME)}nonsense\n${textOf(WENT)}${textOf(WENT).slice(0, 50)}`)
    const { stdout: printed, stderr: reported } = await history('--from', file)
    expect(printed).toContain(LEFT)
    expect(reported).toBe(
      `${file}, line 2: it is not JSON, or is cut off after 8 characters\n${file}, line 4: it is not JSON, or is cut off after 50 characters\n`,
    )
  })

  it('names ten lines of another version, and counts the others', async () => {
    const later = `${JSON.stringify({ ...CAME, v: 2 })}\n`
    await writeFile(file, textOf(CAME) + later.repeat(500))
    const { stderr: reported } = await history('--from', file)
    const lines = reported.trimEnd().split('\n')
    expect(lines).toHaveLength(11)
    expect(lines[0]).toBe(`${file}, line 2: it is of version 2; this program reads version 1`)
    expect(lines.at(-1)).toBe('490 more lines cannot be read')
  })

  it('reads of a compressed file that is cut off what there is', async () => {
    const packed = join(folder, 'cut.gz')
    const whole = gzipSync(
      textOf(CAME, ...Array.from({ length: 200 }, (_, index) => ({ ...OTHER, worker: `${index}` }))),
    )
    await writeFile(packed, whole.subarray(0, whole.length - 200))
    expect((await history('--from', packed)).stdout).toContain('10.1.2.7 came')
  })

  it.each([
    ['no file', ['--from', '/nowhere/record.ndjson'], 'there is no file /nowhere/record.ndjson'],
    ['a folder', ['--from', tmpdir()], `failed to read ${tmpdir()}: EISDIR`],
    [
      'a time that is none',
      ['--from', 'x', '--since', 'noon'],
      'It must be a time such as 2026-03-01T03:12:00Z',
    ],
    [
      'times of two kinds',
      ['--from', 'x', '--until', '1h', '--at', '1h'],
      "option '--at <time>' cannot be used with",
    ],
    ['no source', [], "required option '--from <source...>' not specified"],
  ])('refuses %s', async (_, args, message) => {
    await expect(history(...args)).rejects.toThrow(message)
  })
})
