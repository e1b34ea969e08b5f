/** Colours of a picture, for a page that is light or dark. */
interface Theme {
  readonly text: string
  readonly faint: string
  readonly line: string
  readonly box: string
  readonly ours: string
  readonly edge: string
}

export type ThemeName = 'light' | 'dark'

const THEMES: Readonly<Record<ThemeName, Theme>> = {
  light: {
    text: '#1f2328',
    faint: '#59636e',
    line: '#59636e',
    box: '#f6f8fa',
    ours: '#ddf4ff',
    edge: '#d1d9e0',
  },
  dark: {
    text: '#f0f6fc',
    faint: '#b1bac4',
    line: '#9198a1',
    box: '#151b23',
    ours: '#0c2d6b',
    edge: '#3d444d',
  },
}

const WIDTH = 960
const BOX_WIDTH = 188

export interface Box {
  readonly x: number
  readonly y: number
  readonly height: number
  readonly title: string
  readonly lines: readonly string[]
  /** Whether it is a part of Sliceflow. */
  readonly isOurs?: boolean
}

/** Words with their middle and their base line. */
export type Note = readonly [x: number, y: number, words: string]

export interface Arrow {
  readonly points: readonly (readonly [x: number, y: number])[]
  /** Its words stand where there is room for them. */
  readonly label?: Note
}

export interface Picture {
  /** Alternative text. */
  readonly title: string
  readonly height: number
  readonly notes: readonly Note[]
  readonly boxes: readonly Box[]
  readonly arrows: readonly Arrow[]
}

export const THEME_NAMES = Object.keys(THEMES) as ThemeName[]

/** Draws a picture as SVG. */
export function drawPicture({ title, height, notes, boxes, arrows }: Picture, name: ThemeName): string {
  const theme = THEMES[name]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12.5">
<title id="title">${title}</title>
<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="${theme.line}"/></marker></defs>
${[
  ...notes.map((note) => text(...note, theme.faint)),
  ...boxes.map((box) => boxOf(box, theme)),
  ...arrows.map((arrow) => arrowOf(arrow, theme)),
].join('\n')}
</svg>
`
}

function boxOf({ x, y, height, title, lines, isOurs = false }: Box, theme: Theme): string {
  const middle = x + BOX_WIDTH / 2
  const top = y + height / 2 - lines.length * 10 + 4
  const rows = lines.map((line, index) => text(middle, top + 20 * (index + 1), line, theme.faint))
  return [
    `<rect x="${x}" y="${y}" width="${BOX_WIDTH}" height="${height}" rx="8" fill="${isOurs ? theme.ours : theme.box}" stroke="${theme.edge}"/>`,
    `<text x="${middle}" y="${top}" text-anchor="middle" font-weight="600" fill="${theme.text}">${title}</text>`,
    ...rows,
  ].join('\n')
}

function arrowOf({ points, label }: Arrow, theme: Theme): string {
  const path = points.map(([px, py], index) => `${index === 0 ? 'M' : 'L'}${px} ${py}`).join('')
  const line = `<path d="${path}" fill="none" stroke="${theme.line}" stroke-width="1.5" marker-end="url(#end)"/>`
  return label === undefined ? line : `${line}\n${text(...label, theme.text)}`
}

const text = (x: number, y: number, words: string, fill: string): string =>
  `<text x="${x}" y="${y}" text-anchor="middle" fill="${fill}">${words}</text>`
