/** Size of a page in bytes of JSON: few calls over a long way, and little memory for one page. */
const PAGE_BYTES = 2_000_000
/**
 * A page that turns out larger, in bytes of JSON, is not read to its end, as long as it may be made smaller.
 */
export const MAX_PAGE_BYTES = 4 * PAGE_BYTES
/** Objects of a first page, while their size is not known: 5 MB where each has 50 kB. */
const FIRST_PAGE = 100
const MAX_OBJECTS = 5_000

/** Remembers for each kind of list how many of its objects make a page. */
export interface PageSizes {
  /** Returns the number of objects to ask for. */
  next(kind: string): number
  /** Records the number of objects and the size of a page. */
  note(kind: string, page: { readonly objects: number; readonly bytes: number }): void
  /**
   * Records that a page of `objects` was too large. Returns the number to ask for instead, at least 1.
   */
  lower(kind: string, objects: number): number
}

/**
 * Page sizes fall at once, and at most double from page to page: objects of the next page may be larger.
 */
export function createPageSizes(): PageSizes {
  const sizes = new Map<string, number>()
  const next = (kind: string): number => sizes.get(kind) ?? FIRST_PAGE
  return {
    next,
    note(kind, { objects, bytes }) {
      if (objects === 0) return
      const fitting = Math.floor((PAGE_BYTES * objects) / bytes)
      sizes.set(kind, Math.min(Math.max(fitting, 1), 2 * next(kind), MAX_OBJECTS))
    },
    lower(kind, objects) {
      const fewer = Math.max(1, Math.floor(objects / 8))
      sizes.set(kind, fewer)
      return fewer
    },
  }
}
