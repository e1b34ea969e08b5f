import { type Arrow, type Box, drawPicture, type ThemeName } from './drawing.ts'

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
    label: [236, 144, 'watch'],
  },
  {
    points: [
      [456, 112],
      [486, 112],
      [486, 84],
      [516, 84],
    ],
    label: [486, 74, 'keys'],
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
    label: [732, 74, 'batches'],
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
    label: [480, 296, 'conditional writes of EndpointSlices, to the cluster of the key'],
  },
]

/** Draws the way of a change, from an API server and back. */
export const architecturePicture = (theme: ThemeName): string =>
  drawPicture(
    {
      title:
        'One relay watches the API servers of all clusters and sends keys of changed Services to SQS; functions take batches of them, plan, and write EndpointSlices back.',
      height: 360,
      notes: [
        [110, 36, 'nothing of ours runs in them'],
        [362, 60, 'what it keeps may be lost'],
        [850, 60, 'remembers nothing it needs'],
        [
          480,
          344,
          'A key says “look again”, never “this changed so”: duplicates, reordering and delay change nothing.',
        ],
      ],
      boxes: BOXES,
      arrows: ARROWS,
    },
    theme,
  )
