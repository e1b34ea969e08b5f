import { describe, expect, it } from 'vitest'
import { type LineProblem, type RecordingLine, readRecords } from './index.ts'
import { A_CHANGE, A_WRITE, LOST } from './records.fixtures.ts'

const textOf = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

async function read(...chunks: readonly string[]) {
  const problems: LineProblem[] = []
  const records: RecordingLine[] = []
  const reading = readRecords(bytes(...chunks), (problem) => problems.push(problem))
  for await (const record of reading) records.push(record)
  return { records, problems }
}

describe('readRecords', () => {
  it('reads records however the bytes are split', async () => {
    const text = textOf(A_WRITE, A_CHANGE)
    const { records, problems } = await read(text.slice(0, 10), text.slice(10, 700), text.slice(700))
    expect(records).toEqual([A_WRITE, A_CHANGE])
    expect(problems).toEqual([])
  })

  it('reports broken lines and continues', async () => {
    const { records, problems } = await read(textOf(A_WRITE), 'x\n\n', textOf(LOST), '{"v":1,"kind":"wri')
    expect(records).toEqual([A_WRITE, LOST])
    expect(problems).toEqual([
      { line: 2, problem: 'is not JSON, or is cut off after 1 characters' },
      { line: 5, problem: 'is not JSON, or is cut off after 18 characters' },
    ])
  })

  it('does not report errors of the consumer as broken lines', async () => {
    const reading = async (): Promise<void> => {
      for await (const _ of readRecords(bytes(textOf(A_WRITE)), () => undefined)) throw new Error('full')
    }
    await expect(reading).rejects.toThrow('full')
  })
})

async function* bytes(...chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks
}
