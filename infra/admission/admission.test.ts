import { readFile, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANNOTATION_RULES, misspeltAnnotation, SERVICE_ANNOTATIONS } from '../../shared/changes/index.ts'
import { parseLabelSelector } from '../../shared/kubernetes/index.ts'
import { oneSlipFrom } from './expressions.fixtures.ts'
import { ANNOTATED_KINDS, admissionText } from './policies.fixtures.ts'

it.each(['../rbac/admission.yaml', '../helm/sliceflow/admission.yaml'])(
  'is what %s says; UPDATE=1 writes it there',
  async (path) => {
    const file = new URL(path, import.meta.url)
    if (process.env.UPDATE === '1') await writeFile(file, admissionText())
    expect(await readFile(file, 'utf8')).toBe(admissionText())
  },
)

it('has a rule for each annotation that people set on Services', () => {
  const [services] = ANNOTATED_KINDS
  expect(services?.rules.map(({ annotation }) => annotation).sort()).toEqual([...SERVICE_ANNOTATIONS].sort())
})

describe('the pattern of selectors', () => {
  const checks = ANNOTATION_RULES['sliceflow.dev/selector'] ?? []
  const pattern = checks.find((check) => check.kind === 'selector')?.pattern
  const parses = (text: string): boolean => {
    try {
      return parseLabelSelector(text).length > 0
    } catch {
      return false
    }
  }

  it('says of every text what the parser says', () => {
    const part = fc.constantFrom(
      ...[
        'a',
        'app',
        'x.io/app',
        'X_1',
        'in',
        'notin',
        '=',
        '==',
        '!=',
        '!',
        '<',
        '>',
        '(',
        ')',
        ',',
        ' ',
        '\t',
      ],
      ...['1', '-', '/', 'é', 'a/b/c', 'Io/x', ' in (', ' notin (b,', 'a=b', '\u00a0'],
    )
    const text = fc.array(part, { maxLength: 9 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (selector) => {
        expect([selector, pattern?.test(`${selector},`)]).toEqual([selector, parses(selector)])
      }),
      { numRuns: 20_000 },
    )
  })
})

describe('the patterns of misspelt names', () => {
  const letter = fc.constantFrom(...'abcdefgilmnoprstuvwx-')

  it.each(SERVICE_ANNOTATIONS)('find names near %s of which the parser says the same', (annotation) => {
    const pattern = new RegExp(oneSlipFrom(annotation).replace('(?i:', '(?:'), 'i')
    const name = annotation.slice('sliceflow.dev/'.length)
    const slip = fc.tuple(fc.nat(name.length), fc.constantFrom('drop', 'add', 'change', 'swap'), letter)
    const changed = ([at, how, other]: [number, string, string]): string => {
      const [before, here, after] = [name.slice(0, at), name.slice(at, at + 1), name.slice(at + 1)]
      if (how === 'drop') return before + after
      if (how === 'add') return before + other + here + after
      return how === 'change' ? before + other + after : before + after.slice(0, 1) + here + after.slice(1)
    }
    fc.assert(
      fc.property(slip, (one) => {
        const misspelt = `sliceflow.dev/${changed(one)}`
        expect(pattern.test(misspelt)).toBe(true)
        if (SERVICE_ANNOTATIONS.includes(misspelt)) return
        expect(misspeltAnnotation({ [misspelt]: 'x' }, SERVICE_ANNOTATIONS)).toMatchObject({
          meant: annotation,
        })
      }),
    )
    expect(pattern.test('sliceflow.dev/owner')).toBe(false)
    for (const other of SERVICE_ANNOTATIONS) if (other !== annotation) expect(pattern.test(other)).toBe(false)
  })
})
