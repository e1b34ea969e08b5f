import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestCase } from './test-case.ts'

/** Cases that once differed, each in a file; they are compared first ever after. */
const FOLDER = fileURLToPath(new URL('./kept', import.meta.url))

export async function keptCases(): Promise<TestCase[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.json')).sort()
  return Promise.all(files.map(async (file) => JSON.parse(await readFile(join(FOLDER, file), 'utf8'))))
}

/** @returns the path of the file */
export async function keepCase(testCase: TestCase, kind: string): Promise<string> {
  await mkdir(FOLDER, { recursive: true })
  const path = join(FOLDER, `${kind}-${testCase.id}.json`)
  await writeFile(path, `${JSON.stringify(testCase, undefined, 2)}\n`)
  return path
}
