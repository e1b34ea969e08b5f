import { dot } from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { describe, expect, it } from 'vitest'
import { html, renderChart, renderFigure, renderPage } from './index.ts'

/** Each string closes a context that it may be inserted into, and then would run. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus='alert(1)",
  '</title></style><svg onload=alert(1)>',
  '<!--<script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  ']]></script><b>',
]

function pageOf(name: string): string {
  const row = { name, value: 1 }
  return renderPage({
    title: name,
    lead: name,
    sections: [
      renderFigure({
        title: name,
        note: name,
        legend: [{ name, colour: 'var(--ready)' }],
        drawing: renderChart(name, () => ({
          marks: [dot([row], { x: 'value', y: 'name', title: 'name', ariaLabel: 'name' })],
        })),
        table: { columns: [name], rows: [[name, name]] },
      }),
    ],
  })
}

/** Lists the elements of a page with the names of their attributes. */
const shapeOf = (page: string): string[] =>
  [...parseHTML(page).document.querySelectorAll('*')].map(
    ({ localName, attributes }) =>
      `${localName} ${[...attributes].map((attribute) => attribute.name).join(' ')}`,
  )

describe('a page', () => {
  it.each(HOSTILE)('takes the name %s for text, wherever it stands', (name) => {
    const page = pageOf(name)
    expect(shapeOf(page)).toEqual(shapeOf(pageOf('web')))
    const { document } = parseHTML(page)
    for (const place of ['h1', 'h2', 'main > p', 'th', 'td', 'li', 'svg title'])
      expect(document.querySelector(place)?.textContent).toContain(name)
  })

  it('replaces control characters in a name by a space', () => {
    expect(html`<td>${'a\u0000b\u202ec\u001b[31m'}</td>`.html).toBe('<td>a b c [31m</td>')
  })

  it('loads nothing and runs nothing', () => {
    const { document } = parseHTML(pageOf('web'))
    const policy = document.querySelector('meta[http-equiv]')?.getAttribute('content')
    expect(policy).toBe("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    expect(document.querySelectorAll('script')).toHaveLength(0)
  })

  it('has all drawn data as a table, in a region that the keyboard can scroll', () => {
    const { document } = parseHTML(pageOf('web'))
    const figures = [...document.querySelectorAll('figure')]
    expect(figures).toHaveLength(1)
    for (const figure of figures) {
      expect(figure.querySelector('details .scroll[tabindex="0"] table th[scope="row"]')).not.toBeNull()
      expect(figure.querySelector('svg[role="img"][aria-label]')).not.toBeNull()
    }
  })

  it('labels as many moments of an axis as fit, each with its tick', () => {
    const labelsOf = (texts: readonly string[]): (readonly (string | null)[])[] => {
      const rows = texts.map((name, value) => ({ name, value }))
      const { document } = parseHTML(
        renderChart('names', () => ({ marks: [dot(rows, { x: 'name', y: 'value' })] })).html,
      )
      return [...document.querySelectorAll('svg')].map((svg) => {
        const labels = [...svg.querySelectorAll('[aria-label="x-axis tick label"] text')]
        expect(svg.querySelectorAll('[aria-label="x-axis tick"] path')).toHaveLength(labels.length)
        return labels.map(({ textContent }) => textContent)
      })
    }
    const short = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    expect(labelsOf(short)).toEqual([short, short])
    const long = short.map((name) => `slice-${name}-of-web`)
    const [wide = [], narrow = []] = labelsOf(long)
    expect(wide).toEqual([0, 2, 4, 6].map((index) => long[index]))
    expect(narrow).toEqual([0, 4].map((index) => long[index]))
    const longest = 'x'.repeat(200)
    expect(labelsOf([longest, `${longest}y`]), 'rather one that is cut than none').toEqual([
      [longest],
      [longest],
    ])
  })

  it('lists the cells of a row by their columns on a phone, unless there are many columns, or words', () => {
    const tableOf = (columns: readonly string[], isText = false) => {
      const rows = [columns.map((name) => `of ${name}`)]
      const figure = renderFigure({ title: 't', note: '', drawing: html``, table: { columns, rows, isText } })
      return parseHTML(figure.html).document.querySelector('table')
    }
    const labels = (table: ReturnType<typeof tableOf>) =>
      [...(table?.querySelectorAll('td') ?? [])].map((cell) => cell.getAttribute('data-label'))
    const listed = tableOf(['run', 'writes', '<reads>'])
    expect(listed?.className).toBe('listed')
    expect(labels(listed)).toEqual(['writes', '<reads>'])
    const many = tableOf(Array.from({ length: 13 }, (_, index) => `slice ${index}`))
    expect([many?.className, labels(many)[0]]).toEqual(['', null])
    expect(tableOf(['UTC', 'what happened'], true)?.className).toBe('words')
  })
})
