import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bitsOf, childrenOf, pemBytes, pemOf, readElement } from './read.ts'
import { bitString, element, objectIdentifier, sequence, time } from './write.ts'

it('what is written is read again, however long it is', () => {
  const contents = fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 5 })
  fc.assert(
    fc.property(contents, (parts) => {
      const written = sequence(...parts.map((part) => element(0x04, part)))
      const read = readElement(Buffer.concat([written, Buffer.from('more')]))
      expect(read.bytes.equals(written)).toBe(true)
      expect(childrenOf(read).map(({ content }) => [...content])).toEqual(parts.map((part) => [...part]))
    }),
  )
  const long = element(0x04, Buffer.alloc(70_000))
  expect(readElement(long).content).toHaveLength(70_000)
})

it('bytes that end too early, or are said to be endless, are refused', () => {
  const whole = sequence(element(0x04, Buffer.alloc(300)))
  fc.assert(
    fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (length) => {
      expect(() => readElement(whole.subarray(0, length))).toThrow(RangeError)
    }),
  )
  expect(() => readElement(Buffer.from([0x30, 0x80, 0, 0]))).toThrow(RangeError)
  expect(() => readElement(Buffer.from([0x30, 0x85, 1, 0, 0, 0, 0]))).toThrow(RangeError)
})

it('what is written otherwise than DER has it is refused', () => {
  const content = Buffer.alloc(0x80)
  for (const head of [
    [0x30, 0x81, 1],
    [0x30, 0x82, 0, 0x80],
    [0x1f, 1],
  ]) {
    expect(() => readElement(Buffer.concat([Buffer.from(head), content]))).toThrow(RangeError)
  }
  expect(readElement(Buffer.concat([Buffer.from([0x30, 0x81, 0x80]), content])).content).toHaveLength(0x80)
  expect(() => childrenOf(readElement(element(0x04, sequence())))).toThrow('is no sequence')
  expect(() => bitsOf(readElement(bitString(Buffer.from([0b1000_0000]), 3)))).toThrow(RangeError)
  expect([...bitsOf(readElement(bitString(Buffer.from([1, 2]))))]).toEqual([1, 2])
})

it('identifiers, times and PEM are as others write them', () => {
  expect(objectIdentifier('1.2.840.113549.1.1.11').toString('hex')).toBe('06092a864886f70d01010b')
  expect(time(new Date('2049-12-31T23:59:59.500Z')).toString('latin1', 2)).toBe('491231235959Z')
  expect(time(new Date('2050-01-01T00:00:00Z')).toString('latin1', 2)).toBe('20500101000000Z')
  const bytes = Buffer.alloc(100, 7)
  const pem = pemOf(bytes, 'THING')
  expect(pem.split('\n').map(({ length }) => length)).toEqual([22 - 1, 64, 64, 8, 19, 0])
  expect(pemBytes(pem, 'THING')?.equals(bytes)).toBe(true)
  expect(pemBytes(pem, 'OTHER')).toBeUndefined()
})
