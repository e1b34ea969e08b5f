/** Size of a page in bytes of JSON: few calls over a long way, and little memory for one page. */
const PAGE_BYTES = 2_000_000
/**
 * A page that turns out larger, in bytes of JSON, is not read to its end, as long as it may be made smaller.
 */
export const MAX_PAGE_BYTES = 4 * PAGE_BYTES
/** Objects of a first page, while their size is not known: 5 MB where each has 50 kB. */
const FIRST_PAGE = 100
const MAX_OBJECTS = 5_000

/**
 * Remembers for each kind of list how many of its objects make a page. Sizes fall at once, and at most double
 * from page to page: objects of the next page may be larger.
 */
export function createPageSizes() {
  const sizes = new Map<string, number>()
  const next = (kind: string): number => sizes.get(kind) ?? FIRST_PAGE
  return {
    /** Returns the number of objects to ask for. */
    next,
    /** Records the number of objects and the size of a page. */
    note(kind: string, { objects, bytes }: { readonly objects: number; readonly bytes: number }): void {
      if (objects === 0) return
      const fitting = Math.floor((PAGE_BYTES * objects) / bytes)
      sizes.set(kind, Math.min(Math.max(fitting, 1), 2 * next(kind), MAX_OBJECTS))
    },
    /** Records that a page of `objects` was too large. Returns the number to ask for instead, at least 1. */
    lower(kind: string, objects: number): number {
      const fewer = Math.max(1, Math.floor(objects / 8))
      sizes.set(kind, fewer)
      return fewer
    },
  }
}
