import type { Page } from 'playwright-core'

/**
 * Lists texts of the page's drawings that stand over one another, or that the edge of their drawing cuts, as
 * the browser draws them.
 */
export const crowdedTexts = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('svg')].flatMap((svg) => {
    const edge = svg.getBoundingClientRect()
    const texts = [...svg.querySelectorAll('text')].filter((text) => text.checkVisibility() && text.textContent.trim())
    const boxes = texts.map((text) => ({ text: text.firstChild.textContent, box: text.getBoundingClientRect() }))
    const isOver = (one, other) =>
      one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 2 && other.top < one.bottom - 2
    return boxes.flatMap(({ text, box }, index) => [
      ...(box.left < edge.left - 1 || box.right > edge.right + 1 ? [text + ' is cut'] : []),
      ...boxes.slice(index + 1).flatMap((other) => (isOver(box, other.box) ? [text + ' is over ' + other.text] : [])),
    ])
  })`)

/** Lists tables that are wider than their place, so that a part of them is out of sight. */
export const cutTables = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('.scroll:has(table)')]
    .filter((region) => region.checkVisibility() && region.scrollWidth > region.clientWidth)
    .map((region) => region.getAttribute('aria-label') + ': ' + region.scrollWidth + ' > ' + region.clientWidth)`)
