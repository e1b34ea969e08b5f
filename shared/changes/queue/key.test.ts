import { expect, it } from 'vitest'
import { keyText, parseKeyText } from './key.ts'

it.each(['a', 'arn:aws:eks:eu-west-1:1:cluster/a', ''])(
  'a text is of one key, in the cluster “%s”',
  (cluster) => {
    const key = { cluster, namespace: 'shop', service: 'web' }
    expect(parseKeyText(keyText(key))).toEqual(key)
  },
)
