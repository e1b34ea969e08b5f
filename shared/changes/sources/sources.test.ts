import { expect, it } from 'vitest'
import { CONTENT_SCHEMAS } from '../../settings/index.ts'
import { KINDS } from '../cluster-index/kinds.ts'
import { isPodSource, isReadSource } from './source.ts'
import { SOURCES } from './sources.ts'

it('no two sources have a name, an annotation or words in common', () => {
  const names = SOURCES.flatMap(({ name, annotations, explained }) => [
    `name ${name}`,
    ...Object.keys(annotations).map((annotation) => `annotation ${annotation}`),
    ...(explained === undefined ? [] : [`words ${explained.kind}`]),
  ])
  expect(names).toEqual([...new Set(names)])
})

it.each(SOURCES)('$name names kinds, settings and sources that exist', (source) => {
  const { kinds = [], kindsElsewhere = [], grantedBy, enabledBy, refines } = source
  for (const kind of [...kinds, ...kindsElsewhere]) expect(KINDS).toHaveProperty(kind)
  for (const setting of [grantedBy, enabledBy]) if (setting) expect(CONTENT_SCHEMAS).toHaveProperty(setting)
  if (refines !== undefined) expect(SOURCES.find(({ name }) => name === refines)).toSatisfy(isPodSource)
})

it.each(SOURCES.filter(({ asks }) => asks !== undefined))(
  'what asks for $name has a reader and a limit',
  (source) => {
    expect([isPodSource(source), isReadSource(source)].filter(Boolean)).toHaveLength(1)
    for (const checks of Object.values(source.annotations))
      expect(checks.map(({ kind }) => kind)).toContain('length')
  },
)
