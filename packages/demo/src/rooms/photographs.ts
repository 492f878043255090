import { createHash } from 'node:crypto'
import { keyOf } from '@caretaker/server/files/keys.ts'
import { chanceOf, demoId } from '../chance.ts'
import { demoHomes } from '../fixtures.ts'
import type { Seeder } from '../seeding.ts'
import type { Colour } from './png.ts'
import { pngOf } from './png.ts'

const [width, height] = [480, 360]

/** A layer of a drawing; later layers cover earlier ones. */
type Layer = (x: number, y: number) => Colour | undefined

const shade = (colour: Colour, by: number): Colour => [colour[0] + by, colour[1] + by, colour[2] + by]
const within = (value: number) => Math.max(0, Math.min(255, Math.round(value)))

/** A surface that gets lighter towards one side. */
const shaded =
  (colour: Colour, slope = 0.05): Layer =>
  (x, y) =>
    shade(colour, (width / 2 - x) * slope - y * 0.02)
const box =
  (left: number, top: number, right: number, bottom: number, colour: Colour): Layer =>
  (x, y) =>
    x >= left && x < right && y >= top && y < bottom ? shade(colour, (left - x) * 0.03) : undefined
const disc =
  (centreX: number, centreY: number, radius: number, colour: Colour): Layer =>
  (x, y) =>
    (x - centreX) ** 2 + (y - centreY) ** 2 < radius ** 2 ? colour : undefined
/** The area below a line between the edges. */
const below =
  (left: number, right: number, colour: Colour): Layer =>
  (x, y) =>
    y > left + ((right - left) * x) / width ? colour : undefined
const stripes =
  (left: number, top: number, right: number, bottom: number, every: number, colour: Colour): Layer =>
  (x, y) =>
    x >= left && x < right && y >= top && y < bottom && (x - left) % every < 3 ? colour : undefined
const lines =
  (left: number, top: number, right: number, bottom: number, every: number, colour: Colour): Layer =>
  (x, y) =>
    x >= left && x < right && y >= top && y < bottom && (y - top) % every < 5 ? colour : undefined

/** Specks around a point, denser towards it. */
function mould(key: string, centreX: number, centreY: number, reach: number): Layer[] {
  const chance = chanceOf(key)
  return Array.from({ length: 160 }, () => {
    const [angle, away] = [chance() * 2 * Math.PI, chance() ** 1.6 * reach]
    const dark = 40 + chance() * 50
    return disc(
      ...([centreX + Math.cos(angle) * away * 1.5, centreY + Math.abs(Math.sin(angle)) * away] as const),
      1 + chance() * 4.5,
      [dark, dark + 4, dark - 4],
    )
  })
}

const [plaster, floor, skirting, glass, frame] = [
  [203, 198, 186],
  [126, 106, 88],
  [232, 229, 222],
  [164, 190, 212],
  [240, 242, 244],
] as const satisfies Colour[]
const window = [box(330, 90, 430, 230, frame), box(338, 98, 376, 222, glass), box(384, 98, 422, 222, glass)]
const room = [shaded(plaster), below(300, 275, skirting), below(318, 293, floor)]
const text = (left: number, top: number, width: number): Layer[] =>
  [1, 0.7, 0.85, 0.5].map((part, row) =>
    box(left, top + row * 18, left + width * part, top + row * 18 + 7, [70, 74, 82]),
  )

/** The scenes by name. They are visibly drawings, so that they are not mistaken for a real property. */
const scenes = {
  mould: [
    ...room,
    (x, y) => (x > 236 && x < 241 && y < 290 ? shade(plaster, -26) : undefined),
    ...window,
    ...mould('corner', 238, 0, 150),
  ],
  seal: [
    shaded([190, 186, 176]),
    box(120, 30, 360, 330, frame),
    box(140, 50, 232, 310, glass),
    box(248, 50, 340, 310, glass),
    box(122, 180, 138, 326, [52, 50, 46]),
    ...mould('seal', 150, 300, 40),
  ],
  fan: [
    shaded([222, 224, 226]),
    box(130, 70, 350, 290, [245, 246, 247]),
    disc(240, 180, 88, [206, 210, 214]),
    disc(240, 180, 78, [120, 126, 132]),
    lines(150, 110, 330, 252, 22, [235, 237, 239]),
    disc(240, 180, 18, [245, 246, 247]),
  ],
  radiator: [
    ...room,
    box(60, 110, 420, 280, [246, 245, 240]),
    stripes(60, 118, 420, 272, 24, [206, 203, 194]),
    box(40, 250, 62, 266, [150, 150, 152]),
  ],
  plate: [
    shaded([238, 239, 240]),
    box(90, 60, 390, 300, [196, 201, 207]),
    box(100, 70, 380, 290, [222, 226, 230]),
    ...text(120, 95, 220),
    ...text(120, 190, 160),
    box(300, 190, 360, 250, [40, 42, 46]),
    stripes(300, 190, 360, 250, 7, [222, 226, 230]),
  ],
  threshold: [
    shaded([178, 162, 140]),
    box(0, 0, 480, 210, [84, 112, 130]),
    box(30, 20, 450, 196, [98, 128, 146]),
    box(0, 210, 480, 232, [190, 194, 196]),
    below(258, 258, [116, 92, 74]),
    lines(0, 268, 480, 360, 34, [96, 76, 60]),
  ],
  hatch: [
    shaded([206, 186, 140]),
    lines(0, 0, 480, 360, 60, [222, 204, 160]),
    box(150, 100, 330, 260, [60, 52, 44]),
    box(160, 110, 320, 250, [34, 30, 28]),
  ],
  meter: [
    shaded([160, 150, 138]),
    box(150, 30, 330, 330, [236, 236, 230]),
    box(176, 60, 304, 130, [60, 66, 70]),
    box(186, 72, 294, 118, [178, 200, 172]),
    ...text(200, 84, 76).slice(0, 2),
    disc(240, 200, 34, [210, 210, 204]),
    disc(240, 200, 5, [190, 60, 50]),
    box(200, 270, 280, 330, [40, 42, 46]),
  ],
  pressure: [
    shaded([226, 226, 222]),
    disc(240, 180, 130, [70, 74, 80]),
    disc(240, 180, 118, [250, 250, 246]),
    (x, y) => (x > 130 && x < 240 && Math.abs(y - (290 - (x - 130))) < 4 ? ([200, 40, 30] as const) : undefined),
    disc(240, 180, 12, [40, 42, 46]),
    lines(200, 250, 280, 264, 30, [70, 74, 80]),
  ],
} as const satisfies Record<string, Layer[]>

interface Photograph {
  home: string
  scene: keyof typeof scenes
  title: string
  location: string
  note?: string
  by: string
  /** The number of days before now, and the time of day in UTC. */
  ago: number
  at: string
}

const photographs: Photograph[] = [
  ...[
    {
      scene: 'mould',
      title: 'Mould, outer corner',
      location: 'Bedroom 1',
      note: 'Reading behind the wardrobe 82 %',
      ago: 1,
      at: '10:42:18',
    },
    {
      scene: 'seal',
      title: 'Window seal, left',
      location: 'Bedroom 1',
      note: 'Seal open for 4 cm',
      ago: 1,
      at: '10:39:51',
    },
    { scene: 'fan', title: 'Extractor fan', location: 'Bathroom', note: 'Runs, flow 9 l/s', ago: 1, at: '10:31:07' },
    {
      scene: 'radiator',
      title: 'Radiator, full height',
      location: 'Bedroom 1',
      note: 'Cold at the top',
      ago: 1,
      at: '10:27:44',
    },
    { scene: 'plate', title: 'Boiler data plate', location: 'Kitchen', note: 'Greenstar 30i', ago: 16, at: '14:12:30' },
    {
      scene: 'threshold',
      title: 'Back door threshold',
      location: 'Kitchen',
      ago: 16,
      at: '14:08:02',
      by: 'Bethan Lloyd',
    },
    {
      scene: 'hatch',
      title: 'Loft hatch insulation',
      location: 'Landing',
      note: '100 mm, gap on the north side',
      ago: 16,
      at: '13:55:46',
      by: 'Bethan Lloyd',
    },
    {
      scene: 'meter',
      title: 'Meter cupboard',
      location: 'Hallway',
      note: 'Installation record',
      ago: 262,
      at: '09:20:13',
    },
  ].map((one) => ({ by: 'Tom Ashworth', ...one, home: demoHomes.damp }) as Photograph),
  ...[
    {
      scene: 'radiator',
      title: 'Radiator under the window',
      location: 'Living room',
      note: 'Valve at 2, tenant saves',
      ago: 6,
      at: '15:02:40',
    },
    { scene: 'seal', title: 'Bay window', location: 'Living room', ago: 6, at: '14:58:21' },
  ].map((one) => ({ by: 'Tom Ashworth', ...one, home: demoHomes.underHeated }) as Photograph),
  {
    ...{ home: demoHomes.failedAutofill, scene: 'pressure', title: 'Pressure gauge', location: 'Kitchen' },
    ...{ note: '0.5 bar, filling loop shut', by: 'Tom Ashworth', ago: 2, at: '11:16:05' },
  },
]

/** Creates drawn photographs for properties with a scenario. */
export const seedPhotographs: Seeder = async ({ write, files, world: { plan, properties }, now }) => {
  if (!plan.features.includes('PropertyRecords')) return
  const homes = new Map(properties.map(({ reference, id }) => [reference, id]))
  const shown = photographs.filter(({ home }) => homes.has(home))
  const fileOf = (scene: string) => demoId(`${plan.id} photograph ${scene}`)
  const fileRows = []
  for (const scene of new Set(shown.map((one) => one.scene))) {
    const content = drawn(scenes[scene])
    await files.put(keyOf(plan.id, fileOf(scene)), new Blob([content]))
    const sha256 = createHash('sha256').update(content).digest()
    fileRows.push([fileOf(scene), 'document', `${scene}.png`, 'image/png', content.length, sha256, new Date(now)])
  }
  await write('file', ['id', 'referrer', 'name', 'content_type', 'size', 'sha256', 'created_at'], fileRows)
  await write(
    'document',
    [
      ...['id', 'document_type', 'property_id', 'location', 'title', 'note', 'happened_at', 'file_id', 'created_at'],
      'created_by_name',
    ],
    shown.map(({ home, scene, title, location, note = null, by, ago, at }) => {
      const taken = new Date(`${new Date(now - ago * 86_400_000).toISOString().slice(0, 10)}T${at}Z`)
      return [
        ...[demoId(`${home} photograph ${title}`), 'PropertyRecords', homes.get(home)!, location, title, note, taken],
        ...[fileOf(scene), taken, by],
      ]
    }),
  )
}

function drawn(layers: readonly Layer[]): Buffer<ArrayBuffer> {
  const topmost = layers.toReversed()
  return pngOf(width, height, (x, y) => {
    for (const layer of topmost) {
      const colour = layer(x, y)
      if (colour) return [within(colour[0]), within(colour[1]), within(colour[2])]
    }
    return [0, 0, 0]
  })
}
