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
const HEIGHT = 360
const BOX_WIDTH = 188

interface Box {
  readonly x: number
  readonly y: number
  readonly height: number
  readonly title: string
  readonly lines: readonly string[]
  /** Whether it is a part of Sliceflow. */
  readonly isOurs?: boolean
}

interface Label {
  readonly text: string
  /** Its middle, above the line. */
  readonly at: readonly [x: number, y: number]
}

interface Arrow {
  readonly points: readonly (readonly [x: number, y: number])[]
  readonly label?: Label
}

const BOXES: readonly Box[] = [
  { x: 16, y: 56, height: 56, title: 'cluster eu-1', lines: ['API server'] },
  { x: 16, y: 124, height: 56, title: 'cluster us-1', lines: ['API server'] },
  { x: 16, y: 192, height: 56, title: 'cluster …', lines: ['API server'] },
  {
    x: 268,
    y: 80,
    height: 144,
    title: 'relay',
    lines: [
      'watches every cluster',
      'finds a Pod’s Services',
      'gathers changes into keys',
      'verifies what was written',
    ],
    isOurs: true,
  },
  { x: 516, y: 56, height: 56, title: 'SQS, live lane', lines: ['changes, at once'] },
  { x: 516, y: 124, height: 56, title: 'SQS, sweep lane', lines: ['what is not right; audits'] },
  { x: 516, y: 192, height: 56, title: 'dead letters', lines: ['class, reason, redrive'] },
  {
    x: 756,
    y: 80,
    height: 144,
    title: 'reconcile function',
    lines: [
      'reads what a key concerns',
      'plans, without a call',
      'guards: holds, fights, limits',
      'only failed keys come back',
    ],
    isOurs: true,
  },
]

const ARROWS: readonly Arrow[] = [
  {
    points: [
      [204, 152],
      [268, 152],
    ],
    label: { text: 'watch', at: [236, 144] },
  },
  {
    points: [
      [456, 112],
      [486, 112],
      [486, 84],
      [516, 84],
    ],
    label: { text: 'keys', at: [486, 74] },
  },
  {
    points: [
      [456, 152],
      [516, 152],
    ],
  },
  {
    points: [
      [704, 84],
      [730, 84],
      [730, 112],
      [756, 112],
    ],
    label: { text: 'batches', at: [732, 74] },
  },
  {
    points: [
      [704, 152],
      [756, 152],
    ],
  },
  {
    points: [
      [756, 204],
      [730, 204],
      [730, 220],
      [704, 220],
    ],
  },
  {
    points: [
      [850, 224],
      [850, 304],
      [110, 304],
      [110, 248],
    ],
    label: { text: 'conditional writes of EndpointSlices, to the cluster of the key', at: [480, 296] },
  },
]

export const THEME_NAMES = Object.keys(THEMES) as ThemeName[]

/** The way of a change, from an API server and back, as SVG. */
export function architecturePicture(name: ThemeName): string {
  const theme = THEMES[name]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12.5">
<title id="title">One relay watches the API servers of all clusters and sends keys of changed Services to SQS; functions take batches of them, plan, and write EndpointSlices back.</title>
<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="${theme.line}"/></marker></defs>
${text(110, 36, 'nothing of ours runs in them', theme.faint)}
${text(362, 60, 'what it keeps may be lost', theme.faint)}
${text(850, 60, 'remembers nothing it needs', theme.faint)}
${BOXES.map((box) => boxOf(box, theme)).join('\n')}
${ARROWS.map((arrow) => arrowOf(arrow, theme)).join('\n')}
${text(480, 344, 'A key says “look again”, never “this changed so”: duplicates, reordering and delay change nothing.', theme.faint)}
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
  return label === undefined ? line : `${line}\n${text(...label.at, label.text, theme.text)}`
}

const text = (x: number, y: number, words: string, fill: string): string =>
  `<text x="${x}" y="${y}" text-anchor="middle" fill="${fill}">${words}</text>`
