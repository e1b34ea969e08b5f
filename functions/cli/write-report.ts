import { writeFile } from 'node:fs/promises'
import { UsageError } from './usage.ts'

/** @throws UsageError where the file cannot be written, so that its name can be mended */
export async function writeReport(file: string, page: string): Promise<void> {
  try {
    await writeFile(file, page)
  } catch (error) {
    throw new UsageError(`failed to write the report ${file}: ${(error as Error).message}`, { cause: error })
  }
  process.stderr.write(`the report is in ${file}\n`)
}
