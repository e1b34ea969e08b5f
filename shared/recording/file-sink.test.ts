import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Chunk, type FileSinkOptions, openFileSink } from './index.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sliceflow-recording-'))
  file = join(folder, 'record.ndjson')
})
afterEach(() => rm(folder, { recursive: true }))

const chunk = (text: string): Chunk => ({ cluster: 'eu-1', lines: `${text}\n`, records: 1, lostBefore: 0 })

function open(options: Partial<FileSinkOptions> = {}) {
  const onProblem = (error: unknown): void => {
    throw error
  }
  return openFileSink({ file, onProblem, ...options })
}

describe('openFileSink', () => {
  it('appends to what is there', async () => {
    await writeFile(file, 'one\n')
    const sink = await open()
    expect(sink.append(chunk('two'))).toBe(true)
    await sink.close()
    expect(await readFile(file, 'utf8')).toBe('one\ntwo\n')
  })

  it.each(['{"half', `{"half${'x'.repeat(200_000)}`])(
    'takes off a line that was cut off at its end',
    async (half) => {
      await writeFile(file, `one\n${half}`)
      const sink = await open()
      sink.append(chunk('two'))
      await sink.close()
      expect(await readFile(file, 'utf8')).toBe('one\ntwo\n')
    },
  )

  it('begins the next file when one is full, and keeps so many', async () => {
    const sink = await open({ maxBytes: 8, maxFiles: 2 })
    const parts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map((text) => {
      const { part } = sink
      sink.append(chunk(text))
      return part
    })
    await sink.close()
    expect(parts).toEqual([0, 0, 1, 1, 2, 2, 3])
    expect((await readdir(folder)).sort()).toEqual(['record.ndjson', 'record.ndjson.1', 'record.ndjson.2'])
    expect(await readFile(file, 'utf8')).toBe('seven\n')
    expect(await readFile(`${file}.1`, 'utf8')).toBe('five\nsix\n')
    expect(await readFile(`${file}.2`, 'utf8')).toBe('three\nfour\n')
  })

  it('refuses what is more than may wait', async () => {
    const sink = await open({ maxWaitingBytes: 10 })
    expect(['aaaaa', 'bbbbb', 'cc'].map((text) => sink.append(chunk(text)))).toEqual([true, false, true])
    await sink.close()
    expect(await readFile(file, 'utf8')).toBe('aaaaa\ncc\n')
  })

  it('tells what is lost as it cannot be written, and goes on once it can', async () => {
    const problems: unknown[] = []
    const lost: string[] = []
    const sink = await open({ maxBytes: 4, maxFiles: 1, onProblem: (error) => problems.push(error) })
    sink.onLost(({ lines }) => lost.push(lines))
    sink.append(chunk('one'))
    await expect.poll(() => readFile(file, 'utf8')).toBe('one\n')
    // A folder stands where the file is to go.
    await mkdir(`${file}.1`)
    sink.append(chunk('two'))
    await expect.poll(() => lost).toEqual(['two\n'])
    await rm(`${file}.1`, { recursive: true })
    sink.append(chunk('three'))
    await sink.close()
    expect(problems).toHaveLength(1)
    expect(await readFile(file, 'utf8')).toBe('three\n')
    expect(await readFile(`${file}.1`, 'utf8')).toBe('one\n')
  })

  it('says at once where it cannot write at all', async () => {
    await expect(open({ file: join(folder, 'none', 'record.ndjson') })).rejects.toThrow('ENOENT')
  })
})
