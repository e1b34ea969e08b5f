import { type Arrow, type Box, drawPicture, type ThemeName } from './drawing.ts'

const EXPORTED = (cluster: string, y: number, pods: string): Box => ({
  ...{ x: 16, y, height: 96, title: `cluster ${cluster}` },
  lines: ['ServiceExport web', 'Service web', `Pods ${pods}`],
})

const IMPORTED = (cluster: string, y: number): Box => ({
  ...{ x: 756, y, height: 96, title: `cluster ${cluster}` },
  lines: ['ServiceImport web', 'derived Service: one IP', 'slices: of eu-1, of us-1'],
})

const BOXES: readonly Box[] = [
  EXPORTED('eu-1', 56, '10.1.0.1, 10.1.0.2'),
  EXPORTED('us-1', 196, '10.2.0.1'),
  {
    ...{ x: 386, y: 112, height: 124, title: 'Sliceflow' },
    lines: ['the oldest export wins', 'plans each cluster apart', 'writes what differs', 'keeps no state'],
    isOurs: true,
  },
  IMPORTED('eu-1', 16),
  IMPORTED('us-1', 126),
  IMPORTED('ap-1', 236),
]

const ARROWS: readonly Arrow[] = [
  {
    points: [
      [204, 104],
      [296, 104],
      [296, 150],
      [386, 150],
    ],
    label: [296, 94, 'what is exported'],
  },
  {
    points: [
      [204, 244],
      [296, 244],
      [296, 198],
      [386, 198],
    ],
  },
  {
    points: [
      [574, 150],
      [666, 150],
      [666, 64],
      [756, 64],
    ],
    label: [664, 54, 'what is imported'],
  },
  {
    points: [
      [574, 174],
      [756, 174],
    ],
  },
  {
    points: [
      [574, 198],
      [666, 198],
      [666, 284],
      [756, 284],
    ],
  },
  {
    points: [
      [480, 236],
      [480, 330],
      [110, 330],
      [110, 292],
    ],
    label: [296, 322, 'conditions: valid, ready, in conflict and why'],
  },
]

/** Draws a cluster set: who exports a Service, and what every cluster gets. */
export const fleetPicture = (theme: ThemeName): string =>
  drawPicture(
    {
      title:
        'Clusters eu-1 and us-1 export the Service web. Sliceflow merges what they export, and writes a ServiceImport, a derived Service with one IP address and slices apart by source cluster into every cluster of the set; the exports are told how it went.',
      height: 384,
      notes: [
        [110, 40, 'clusters that export'],
        [480, 96, 'outside of all clusters'],
        [850, 352, 'each that has the namespace'],
        [
          480,
          374,
          'Packets go from Pod to Pod: Sliceflow moves none. A cluster that cannot be reached loses no endpoint elsewhere.',
        ],
      ],
      boxes: BOXES,
      arrows: ARROWS,
    },
    theme,
  )
