import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './installed.ts'

/** Width of comments, which is that of the code. */
const COLUMNS = 110

const files = ['cli', 'functions', 'infra', 'shared', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/(dist|node_modules|testdata|cdk\.out)\//.test(file))
    .map((file) => `${folder}/${file}`),
)

it('no line of a comment is wider than the code', () => {
  const wide = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (isWide(line) ? [`${file}:${index + 1}`] : [])),
  )
  expect(wide).toEqual([])
})

/** Reports whether a line of a comment is too wide. A single word may be wider, such as a URL. */
const isWide = (line: string): boolean =>
  line.length > COLUMNS && /^\s*(\/\/|\/?\*+)\s+\S+\s/.test(line) && !line.includes('biome-ignore')
