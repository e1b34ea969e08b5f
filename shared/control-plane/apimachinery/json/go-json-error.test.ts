import { expect, it } from 'vitest'
import { goJsonError } from './go-json-error.ts'

it.each([
  ['{"a":', 'unexpected end of JSON input'],
  ['"abc', 'unexpected end of JSON input'],
  ['', 'unexpected end of JSON input'],
  ['nope', "invalid character 'o' in literal null (expecting 'u')"],
  ['tru', "invalid character ' ' in literal true (expecting 'e')"],
  ['{"a":x}', "invalid character 'x' looking for beginning of value"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['01', "invalid character '1' after top-level value"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
  ['1e+', "invalid character ' ' in exponent of numeric literal"],
  ['"\\q"', "invalid character 'q' in string escape code"],
  ['"\\u12G4"', "invalid character 'G' in \\u hexadecimal character escape"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ['"\u0001"', "invalid character '\\x01' in string literal"],
  ['é', "invalid character 'Ã' looking for beginning of value"],
])('of %j it says what encoding/json says', (text, error) => {
  expect(goJsonError(text)).toBe(error)
})
