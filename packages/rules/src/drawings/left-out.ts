/**
 * Parts of a drawing that are removed: singular, plural and advice. Elements that draw nothing, such as metadata and
 * editor settings, are removed without a message.
 */
const kinds = {
  'linked picture': [
    'linked picture',
    'linked pictures',
    'A linked picture is another file: embed it in the drawing, or upload the picture itself.',
  ],
  picture: ['embedded picture', 'embedded pictures', 'Only undamaged PNG, JPEG, GIF and WebP pictures are kept.'],
  'text box': ['HTML text box', 'HTML text boxes', 'Export text as SVG text or as outlines.'],
  font: ['font', 'fonts', 'Text is shown in a standard font.'],
  effect: ['effect', 'effects', 'Shadows, blur and other filters are not drawn.'],
  style: [
    'style declaration',
    'style declarations',
    'Styles are left out if they refer to another file or cannot be read.',
  ],
  reference: ['reference to another file', 'references to another file', 'Only this drawing is kept.'],
  script: ['script', 'scripts', 'Scripts do not run in a floor plan.'],
  animation: ['animation', 'animations', 'The plan shows the start of each animation.'],
  link: ['link', 'links', 'Linked parts are drawn, without their links.'],
  element: ['unsupported element', 'unsupported elements', 'Only static parts of a drawing are kept.'],
  entity: [
    'XML entity that contains drawing elements',
    'XML entities that contain drawing elements',
    'Save the drawing as plain SVG.',
  ],
  encoding: [
    'wrong encoding',
    'wrong encodings',
    'The file was read as Windows-1252: check letters with accents in the preview.',
  ],
} as const satisfies Record<string, readonly [one: string, many: string, hint: string]>

export type LeftOutKind = keyof typeof kinds
export const leftOutKinds = Object.keys(kinds) as [LeftOutKind, ...LeftOutKind[]]

export interface LeftOut {
  kind: LeftOutKind
  count: number
  /** Names of some of them, if they have names. */
  examples: string[]
}

/** Maximum examples per kind, and characters of each. */
const [mostExamples, longestExample] = [3, 60]

/** Collects the removed parts of one drawing. */
export function collectLeftOut() {
  const found = new Map<LeftOutKind, LeftOut>()
  return {
    add(kind: LeftOutKind, example = '') {
      const one = found.get(kind) ?? { kind, count: 0, examples: [] }
      found.set(kind, one)
      one.count++
      const short = example.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
      const shown = short.length > longestExample ? `${short.slice(0, longestExample - 1)}…` : short
      if (shown && one.examples.length < mostExamples && !one.examples.includes(shown)) one.examples.push(shown)
    },
    /** In table order: the largest effects on a plan's appearance first. */
    all: (): LeftOut[] => leftOutKinds.flatMap((kind) => found.get(kind) ?? []),
  }
}

/** '2 linked pictures (a.png, b.png)'. */
export function leftOutName({ kind, count, examples }: LeftOut): string {
  const [one, many] = kinds[kind]
  const more = count > examples.length && examples.length ? ', …' : ''
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}${examples.length ? ` (${examples.join(', ')}${more})` : ''}`
}

export const leftOutHint = ({ kind }: Pick<LeftOut, 'kind'>): string => kinds[kind][2]

/** The error for a drawing without remaining content. */
export function emptyDrawingText(leftOut: readonly LeftOut[]): string {
  const [first] = leftOut
  if (!first) return 'The drawing is empty.'
  return `Nothing of the drawing can be shown. Left out: ${leftOut.map(leftOutName).join('; ')}. ${leftOutHint(first)}`
}
