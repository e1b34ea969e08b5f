import { type FileKind, replaceOwnFile } from '../../../shared/files/index.ts'
import { UsageError } from '../usage.ts'

/** The content security policy distinguishes our pages from others. */
const PAGE: FileKind = {
  name: 'a report',
  begins:
    /^<!doctype html>\n<html lang="en">\n<head>\n.*\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'/,
  mode: 0o644,
}

/** @throws UsageError where the file cannot be written, so that its name can be mended */
export async function writeReport(file: string, page: string): Promise<void> {
  try {
    await replaceOwnFile(file, page, PAGE)
  } catch (error) {
    throw new UsageError(`failed to write the report ${file}: ${(error as Error).message}`, { cause: error })
  }
  process.stderr.write(`the report is in ${file}\n`)
}
