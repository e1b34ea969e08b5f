/** The parts of a drawn element that label placement needs: there is no browser to measure it. */
interface DrawnElement {
  readonly textContent: string | null
  readonly children: ArrayLike<DrawnElement>
  getAttribute(name: string): string | null
  querySelector(selectors: string): DrawnElement | null
  remove(): void
}

/** Minimum number of pixels between two labels. */
const GAP = 8
/** Widths of characters of 12 pixels in the widest of the usual fonts; all others have {@link WIDTH}. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[\s.,:;'|!ijlIft()/-]/, 5],
  [/[mwMW%…@]/, 12],
  [/[A-Z]/, 9],
]
const WIDTH = 7.7

const textWidth = (text: string): number =>
  [...text].reduce((sum, one) => sum + (WIDTHS.find(([some]) => some.test(one))?.[1] ?? WIDTH), 0)

/**
 * Removes labels of the horizontal axis, and their ticks, if not all of them fit: every second label stays,
 * or every third, and so on. Plot draws all that it is given, even if they overlap.
 * @param width of the drawing in pixels: removes labels that its edge would cut, unless all would be cut
 */
export function thinLabels(drawing: DrawnElement, width: number): void {
  const labels = childrenOf(drawing, 'x-axis tick label')
  const ticks = childrenOf(drawing, 'x-axis tick')
  const placed = labels.map((label) => placeOf(label, width))
  const places = placed.some(({ isInside }) => isInside) ? placed : placed.slice(0, 1).map(inside)
  const every = [...labels.keys()].map((index) => index + 1).find((step) => fits(places, step)) ?? 1
  labels.forEach((label, index) => {
    if (index % every === 0 && places[index]?.isInside) return
    label.remove()
    // Ticks and labels have the same order.
    if (ticks.length === labels.length) ticks[index]?.remove()
  })
}

interface Place {
  readonly from: number
  readonly to: number
  readonly isInside: boolean
}

const inside = (place: Place): Place => ({ ...place, isInside: true })

const childrenOf = (drawing: DrawnElement, name: string): DrawnElement[] =>
  Array.from(drawing.querySelector(`[aria-label="${name}"]`)?.children ?? [])

/** A label is centred on its tick. */
function placeOf(label: DrawnElement, width: number): Place {
  const [, x = '0'] = /translate\(([\d.e+-]+)/.exec(label.getAttribute('transform') ?? '') ?? []
  const half = textWidth(label.textContent ?? '') / 2
  const [from, to] = [Number(x) - half, Number(x) + half]
  return { from, to, isInside: from >= 0 && to <= width }
}

/** Reports whether the labels fit if only each `every`-th is drawn. */
function fits(places: readonly Place[], every: number): boolean {
  const shown = places.filter(({ isInside }, index) => isInside && index % every === 0)
  return shown.every(({ from }, index) => from - (shown[index - 1]?.to ?? Number.NEGATIVE_INFINITY) >= GAP)
}
