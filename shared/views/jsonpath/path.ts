import type { Json } from '../json/index.ts'

/** A JSONPath, ready to be followed. Empty: the root itself. */
export type Path = readonly Segment[]

export type Segment =
  | { readonly kind: 'child'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'wildcard' }
  /** The value and everything below it. */
  | { readonly kind: 'descent' }
  | { readonly kind: 'slice'; readonly start?: number; readonly end?: number; readonly step: number }
  | { readonly kind: 'union'; readonly members: readonly (string | number)[] }
  | { readonly kind: 'filter'; readonly test: Filter }

/** The condition of `[?(…)]`. */
export type Filter =
  | { readonly kind: 'or' | 'and'; readonly left: Filter; readonly right: Filter }
  | { readonly kind: 'not'; readonly of: Filter }
  | {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly left: Operand
      readonly right: Operand
    }
  | { readonly kind: 'test'; readonly operand: Operand }

/** `has` and `exists`: is there a value; `empty`: is it empty; each is compared with true or false. */
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'has' | 'exists' | 'empty'

export type Operand =
  | { readonly kind: 'literal'; readonly value: Json }
  /** From the element (`@`) or from the root (`$`). */
  | { readonly kind: 'path'; readonly from: '@' | '$'; readonly path: Path }
  | { readonly kind: 'length' | 'count'; readonly of: Operand }
