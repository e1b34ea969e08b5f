import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { type Chunk, type FileSinkOptions, openFileSink } from '../index.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = temporaryFolder()
  file = join(folder, 'record.ndjson')
})

/** A line that starts like a record, of 18 characters and the text. */
const line = (...texts: string[]): string => texts.map((text) => `{"v":1,"kind":"${text}"}\n`).join('')
const chunk = (text: string): Chunk => ({ cluster: 'eu-1', lines: line(text), records: 1, lostBefore: 0 })

function open(options: Partial<FileSinkOptions> = {}) {
  const onProblem = (error: unknown): void => {
    throw error
  }
  return openFileSink({ file, onProblem, ...options })
}

const recordings = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => !name.endsWith('.lock')).sort()

describe('openFileSink', () => {
  it('appends to an existing file', async () => {
    await writeFile(file, line('one'))
    const sink = await open()
    expect(sink.append(chunk('two'))).toBe(true)
    await sink.close()
    expect(await readFile(file, 'utf8')).toBe(line('one', 'two'))
  })

  it.each(['{"half', `{"half${'x'.repeat(200_000)}`])(
    'takes off a line that was cut off at its end',
    async (half) => {
      await writeFile(file, `${line('one')}${half}`)
      const sink = await open()
      sink.append(chunk('two'))
      await sink.close()
      expect(await readFile(file, 'utf8')).toBe(line('one', 'two'))
    },
  )

  it.each([
    ['JSON without an end of line', '', '{"users": [1, 2]}'],
    ['text', '', 'one\ntwo\n'],
    ['a file of others where it is to go next', '.1', 'mine'],
    ['a file of others where it is to go at last', '.15', 'mine\n'],
  ])('refuses %s, and leaves it as it is', async (_, suffix, foreign) => {
    await writeFile(`${file}${suffix}`, foreign)
    await expect(open()).rejects.toThrow(`${file}${suffix} is not a recording, and stays as it is`)
    expect(await readFile(`${file}${suffix}`, 'utf8')).toBe(foreign)
  })

  it('writes to a pipe, which is never renamed, whatever stands beside it', async () => {
    execFileSync('mkfifo', [file])
    await writeFile(`${file}.1`, 'mine')
    const sink = await open({ maxBytes: 1 })
    const reader = createReadStream(file)
    sink.append(chunk('one'))
    const [first] = await once(reader, 'data')
    sink.append(chunk('two'))
    const [second] = await once(reader, 'data')
    await sink.close()
    reader.destroy()
    expect(`${first}${second}`).toBe(line('one', 'two'))
    expect(await readdir(folder)).toEqual(['record.ndjson', 'record.ndjson.1'])
  })

  it('refuses a file that another sink writes to, until that is closed', async () => {
    const sink = await open()
    sink.append(chunk('one'))
    await expect(open()).rejects.toThrow(`another process writes to ${file}: end it, or name another file`)
    const link = join(folder, 'link')
    await symlink(file, link)
    await expect(open({ file: link })).rejects.toThrow(`another process writes to ${link}`)
    await sink.close()
    const next = await open({ file: link })
    next.append(chunk('two'))
    await next.close()
    expect(await readFile(file, 'utf8')).toBe(line('one', 'two'))
  })

  it('takes over the file of a process that was killed', async () => {
    const files = new URL('../../files/index.ts', import.meta.url).href
    const script = `const { lockFile } = await import('${files}'); await lockFile(process.argv[1]); process.stdout.write('locked'); setInterval(() => {}, 1000)`
    const other = spawn(process.execPath, ['--input-type=module', '-e', script, file])
    onTestFinished(() => void other.kill('SIGKILL'))
    await once(other.stdout, 'data')
    await expect(open()).rejects.toThrow('another process writes to')
    other.kill('SIGKILL')
    await once(other, 'exit')
    await (await open()).close()
  })

  it('never overwrites a foreign file that appeared at its path meanwhile', async () => {
    const problems: unknown[] = []
    const sink = await open({ maxBytes: 21, onProblem: (error) => problems.push(error) })
    await writeFile(`${file}.1`, 'mine')
    sink.append(chunk('one'))
    sink.append(chunk('two'))
    await sink.close()
    expect(problems).toHaveLength(1)
    expect(await readFile(`${file}.1`, 'utf8')).toBe('mine')
    expect(await readFile(file, 'utf8')).toBe(line('one'))
  })

  it('starts the next file when one is full, and retains the set number', async () => {
    const sink = await open({ maxBytes: 42, maxFiles: 2 })
    const parts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map((text) => {
      const { part } = sink
      sink.append(chunk(text))
      return part
    })
    await sink.close()
    expect(parts).toEqual([0, 0, 1, 1, 2, 2, 3])
    expect(await recordings()).toEqual(['record.ndjson', 'record.ndjson.1', 'record.ndjson.2'])
    expect(await readFile(file, 'utf8')).toBe(line('seven'))
    expect(await readFile(`${file}.1`, 'utf8')).toBe(line('five', 'six'))
    expect(await readFile(`${file}.2`, 'utf8')).toBe(line('three', 'four'))
  })

  it('moves on what a link leads to, where that is, and not the link', async () => {
    const link = join(temporaryFolder(), 'link')
    await symlink(file, link)
    const sink = await open({ file: link, maxBytes: 21 })
    sink.append(chunk('one'))
    sink.append(chunk('two'))
    await sink.close()
    expect(await recordings()).toEqual(['record.ndjson', 'record.ndjson.1'])
    expect([await readFile(link, 'utf8'), await readFile(`${file}.1`, 'utf8')]).toEqual([
      line('two'),
      line('one'),
    ])
  })

  it('moves no older file where its own has gone, or could not be made', async () => {
    await writeFile(`${file}.1`, line('older'))
    const sink = await open({ maxBytes: 21 })
    sink.append(chunk('one'))
    await expect.poll(() => readFile(file, 'utf8')).toBe(line('one'))
    await rm(file)
    sink.append(chunk('two'))
    await sink.close()
    expect(await recordings()).toEqual(['record.ndjson', 'record.ndjson.1'])
    expect(await readFile(`${file}.1`, 'utf8')).toBe(line('older'))
  })

  it('rejects data above the waiting limit', async () => {
    const sink = await open({ maxWaitingBytes: 44 })
    expect(['aaaaa', 'bbbbb', 'cc'].map((text) => sink.append(chunk(text)))).toEqual([true, false, true])
    await sink.close()
    expect(await readFile(file, 'utf8')).toBe(line('aaaaa', 'cc'))
  })

  it('reports records lost in failed writes, and continues afterwards', async () => {
    const problems: unknown[] = []
    const lost: string[] = []
    const sink = await open({ maxBytes: 21, maxFiles: 1, onProblem: (error) => problems.push(error) })
    sink.onLost(({ lines }) => lost.push(lines))
    sink.append(chunk('one'))
    await expect.poll(() => readFile(file, 'utf8')).toBe(line('one'))
    // A directory blocks the path of the next file.
    await mkdir(`${file}.1`)
    sink.append(chunk('two'))
    await expect.poll(() => lost).toEqual([line('two')])
    await rm(`${file}.1`, { recursive: true })
    sink.append(chunk('three'))
    await sink.close()
    expect(problems).toHaveLength(1)
    expect(await readFile(file, 'utf8')).toBe(line('three'))
    expect(await readFile(`${file}.1`, 'utf8')).toBe(line('one'))
  })

  it('fails immediately if it cannot write at all', async () => {
    await expect(open({ file: join(folder, 'none', 'record.ndjson') })).rejects.toThrow('ENOENT')
  })
})
