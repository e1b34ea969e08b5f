import type { Locator } from 'playwright-core'

/** Reads the styles that the page computes. */
declare function getComputedStyle(element: unknown): Readonly<Record<string, string>>

/** Returns a colour as the browser draws it, such as `rgb(28, 36, 48)`. */
export const colourOf = (
  place: Locator,
  property: 'color' | 'backgroundColor' | 'fill' | 'stroke',
): Promise<string | undefined> => place.evaluate((element, name) => getComputedStyle(element)[name], property)

/** Computes the contrast by WCAG 2: 21 is black on white. */
export function contrast(one = '', other = ''): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [...colour.matchAll(/[\d.]+/g)].map(([digits]) => {
    const share = Number(digits) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
