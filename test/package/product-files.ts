import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './installed.ts'

/** Sources of the product, without their tests. */
export const productFiles: readonly string[] = ['cli', 'functions', 'infra', 'shared'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter(
      (file) =>
        /(?<!\.(test|fixtures|arbitraries))\.ts$/.test(file) &&
        !/\/(test|testing|testdata|node_modules|dist|cdk\.out)\//.test(file),
    ),
)

export const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
