import type { NameRule } from '../../../kubernetes/index.ts'
import {
  duplicate,
  type FieldError,
  forbiddenField,
  internalField,
  invalidValue,
  notFoundField,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../errors/field.ts'
import type { JsonObject, JsonValue } from '../json/exact-numbers.ts'
import { isNumber, isObject, ownMember, sameJson } from '../json/values.ts'
import type { KubeObject } from '../objects.ts'

/**
 * A field of an object that is validated: its value, its path, and the errors of the whole object. Checks
 * report to these in the order in which they are called, so a validation reads like upstream's and has its
 * order. A check that a later one depends on returns whether it is met.
 */
export class Field {
  readonly value: JsonValue | undefined
  /** As `spec.ports[0].name`; `''` for the object itself. */
  readonly path: string
  readonly errors: FieldError[]

  constructor(value: JsonValue | undefined, path = '', errors: FieldError[] = []) {
    this.value = value
    this.path = path
    this.errors = errors
  }

  /** Returns the field of a member, or of a member's member. */
  child(name: string, ...below: readonly string[]): Field {
    const value = isObject(this.value) ? this.value[name] : undefined
    const field = new Field(value, this.path === '' ? name : `${this.path}.${name}`, this.errors)
    const [next, ...rest] = below
    return next === undefined ? field : field.child(next, ...rest)
  }

  /** Returns the field of a key that users choose: of a label, or of an amount. */
  key(name: string): Field {
    return new Field(ownMember(this.object, name), `${this.path}[${name}]`, this.errors)
  }

  /** Returns the fields of a list's items; none if it is no list. */
  items(): Field[] {
    return this.list.map((_, index) => this.item(index))
  }

  item(index: number): Field {
    return new Field(this.list[index], `${this.path}[${index}]`, this.errors)
  }

  /** Returns the same field under the path that upstream's errors give it, where that is another one. */
  as(path: string): Field {
    return new Field(this.value, path, this.errors)
  }

  /** Returns the same field with another value: the part or the form of it that is checked. */
  with(value: JsonValue): Field {
    return new Field(value, this.path, this.errors)
  }

  /** The value, or an empty object if it is none. */
  get object(): JsonObject {
    return isObject(this.value) ? this.value : {}
  }

  get list(): readonly JsonValue[] {
    return Array.isArray(this.value) ? this.value : []
  }

  /** The strings of a list. */
  get strings(): string[] {
    return this.list.filter((item) => typeof item === 'string')
  }

  /** The value, or `''` if it is no string. */
  get text(): string {
    return typeof this.value === 'string' ? this.value : ''
  }

  /** The value, or 0 if it is no number; the nearest one to a bigint. */
  get number(): number {
    return isNumber(this.value) ? Number(this.value) : 0
  }

  /** The field if it has a value: as a pointer in Go that is not nil. */
  get ifSet(): this | undefined {
    return this.value === undefined || this.value === null ? undefined : this
  }

  /** The field if it is a text that is not empty. */
  get ifFilled(): this | undefined {
    return this.text === '' ? undefined : this
  }

  /** The field if it is an object. */
  get ifObject(): this | undefined {
    return isObject(this.value) ? this : undefined
  }

  /** Returns what a validation reports, instead of reporting it. */
  collect(validate: (field: Field) => void): FieldError[] {
    const field = new Field(this.value, this.path)
    validate(field)
    return field.errors
  }

  invalid(why: string, shown: JsonValue | undefined = this.value): void {
    this.errors.push(invalidValue(this.path, shown, why))
  }

  required(why?: string): void {
    this.errors.push(required(this.path, why))
  }

  forbidden(why: string): void {
    this.errors.push(forbiddenField(this.path, why))
  }

  duplicate(shown: JsonValue = this.value ?? ''): void {
    this.errors.push(duplicate(this.path, shown))
  }

  notFound(): void {
    this.errors.push(notFoundField(this.path, this.text))
  }

  notSupported(allowed: readonly string[], shown: JsonValue = this.value ?? ''): void {
    this.errors.push(notSupported(this.path, shown, allowed))
  }

  /** Reports an error that upstream takes for its own. */
  internal(why: string): void {
    this.errors.push(internalField(this.path, why))
  }

  /** Checks that a text or a list is there and is not empty. */
  notEmpty(why?: string): this | undefined {
    if (this.text !== '' || this.list.length > 0) return this
    this.required(why)
    return undefined
  }

  /** Checks a text by a rule, also an empty or absent one. */
  follows(rule: NameRule): boolean {
    const texts = rule(this.text)
    for (const text of texts) this.invalid(text, this.text)
    return texts.length === 0
  }

  /** Checks that a text is one of these; an absent one counts as `''`. */
  oneOf(allowed: readonly string[]): boolean {
    const isAllowed = allowed.includes(this.text)
    if (!isAllowed) this.notSupported(allowed)
    return isAllowed
  }

  /** Checks that a number is within these bounds; an absent one counts as 0. */
  between(least: number, most: number, why: string): void {
    if (this.number < least || this.number > most) this.invalid(why, this.value ?? 0)
  }

  atLeast(least: number, why: string): void {
    this.between(least, Infinity, why)
  }

  /** @param maximum bytes */
  atMostBytes(maximum: number): void {
    if (Buffer.byteLength(this.text) > maximum) this.errors.push(tooLong(this.path, maximum))
  }

  atMostItems(maximum: number): boolean {
    const { length } = this.list
    if (length > maximum) this.errors.push(tooMany(this.path, length, maximum))
    return length <= maximum
  }

  /** Checks that a key was not seen before, and adds it to those that were. */
  unique(seen: Set<string>, key: string = this.text): boolean {
    const isNew = !seen.has(key)
    if (!isNew) this.duplicate(key)
    seen.add(key)
    return isNew
  }

  /** Checks that an update leaves the field as it was. */
  unchanged(old: JsonValue | undefined): void {
    if (!sameJson(this.value, old)) this.invalid('field is immutable')
  }
}

/** Makes a validation of whole objects from one that checks the object's field. */
export function errorsBy<Others extends unknown[]>(
  validate: (object: Field, ...others: Others) => void,
): (object: KubeObject, ...others: Others) => FieldError[] {
  return (object, ...others) => {
    const field = new Field(object)
    validate(field, ...others)
    return field.errors
  }
}
