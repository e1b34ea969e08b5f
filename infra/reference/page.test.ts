import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { COMMANDS } from '../../cli/index.ts'
import { SERVICE_ANNOTATIONS } from '../../shared/changes/index.ts'
import {
  ANNOTATION_EXPORT_KIND,
  ANNOTATION_EXPORT_TO,
  ANNOTATION_FLEET_POLICY,
} from '../../shared/fleet/index.ts'
import { commandsPage, referencePage } from './index.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const OTHERS = /\.(test|fixtures)\.ts$|^shared\/control-plane\/|cdk\.out/

let page: string
let sources: string

beforeAll(async () => {
  page = await referencePage()
  sources = ''
  for await (const file of glob('{cli,functions,infra,shared}/**/*.ts', { cwd: ROOT }))
    if (!OTHERS.test(file)) sources += await readFile(join(ROOT, file), 'utf8')
})

it('is what docs/reference.md says; `npm run docs` writes it there', async () => {
  expect(await readFile(join(ROOT, 'docs/reference.md'), 'utf8')).toBe(page)
})

it('is what docs/commands.md says of the commands; `npm run docs` writes it there', async () => {
  expect(await readFile(join(ROOT, 'docs/commands.md'), 'utf8')).toBe(commandsPage(COMMANDS))
})

it('has every annotation of ours that the sources name', () => {
  const named = new Set(
    [...sources.matchAll(/['"`](sliceflow\.dev\/[a-z-]+)['"`]/g)].map(([, name = '']) => name),
  )
  // It is a tag of EKS clusters in examples, which anybody may choose.
  named.delete('sliceflow.dev/manage')
  expect(named.size).toBeGreaterThan(10)
  expect([...named].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

it('has what people set on Services and ServiceExports apart from what is for Sliceflow alone', () => {
  const [, section = ''] = page.split('## Annotations on Services and ServiceExports')
  const [forPeople = ''] = section.split('\n## ')
  const named = [...forPeople.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name)
  expect(named).toEqual(
    [...SERVICE_ANNOTATIONS, ANNOTATION_EXPORT_KIND, ANNOTATION_EXPORT_TO, ANNOTATION_FLEET_POLICY].sort(),
  )
})

it('has every metric that the sources name', () => {
  const named = new Set([...sources.matchAll(/'(sliceflow_[a-z_]+[a-z])'/g)].map(([, name = '']) => name))
  expect(named.size).toBeGreaterThan(30)
  expect([...named].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

it('says of each name what it is', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(100)
  expect(rows.filter((row) => /\|\s*\|$/.test(row))).toEqual([])
})
