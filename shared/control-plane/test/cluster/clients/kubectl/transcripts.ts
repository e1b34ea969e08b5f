import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('./transcripts/', import.meta.url)

/** Returns the names of all transcripts, sorted. */
export const transcriptNames = async (): Promise<string[]> =>
  (await readdir(FOLDER)).map((file) => basename(file, '.txt')).toSorted()

export const transcriptFile = (name: string): string => fileURLToPath(new URL(`./${name}.txt`, FOLDER))
