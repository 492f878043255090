import { pixelsOf } from './lengths.ts'

export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number]
export interface Bounds {
  left: number
  top: number
  right: number
  bottom: number
}
type Point = readonly [x: number, y: number]
type Attribute = (name: string) => string | undefined

export const unmoved: Matrix = [1, 0, 0, 1, 0, 0]

const number = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi
const numbersIn = (text: string | undefined) => (text?.match(number) ?? []).map(Number)

export const times = ([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix => [
  a * g + c * h,
  b * g + d * h,
  a * i + c * j,
  b * i + d * j,
  a * k + c * l + e,
  b * k + d * l + f,
]

/** The lookbehind and the bracket limit keep the search linear: otherwise it is quadratic in the length of the text. */
const transformPart = /(?<![a-z])([a-z]+)\s*\(([^()]*)\)/gi

/** The matrix of a `transform` attribute (SVG 2, 8.5). */
export function matrixOf(transform: string | undefined): Matrix {
  let all = unmoved
  for (const [, name, inner] of (transform ?? '').matchAll(transformPart)) {
    const given = numbersIn(inner)
    const [x = 0, y = 0] = given
    const turn = (degrees: number): Matrix => {
      const angle = (degrees * Math.PI) / 180
      return [Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0]
    }
    const [, about = 0, aboutY = 0] = given
    const tangent = Math.tan((x * Math.PI) / 180)
    const one: Record<string, () => Matrix> = {
      matrix: () => (given.length === 6 ? (given as unknown as Matrix) : unmoved),
      translate: () => [1, 0, 0, 1, x, y],
      scale: () => [x, 0, 0, given.length > 1 ? y : x, 0, 0],
      rotate: () => times(times([1, 0, 0, 1, about, aboutY], turn(x)), [1, 0, 0, 1, -about, -aboutY]),
      skewx: () => [1, 0, tangent, 1, 0, 0],
      skewy: () => [1, tangent, 0, 1, 0, 0],
    }
    all = times(all, one[name!.toLowerCase()]?.() ?? unmoved)
  }
  return all
}

export function movedBy([a, b, c, d, e, f]: Matrix, { left, top, right, bottom }: Bounds): Bounds | undefined {
  const corners: Point[] = [
    [left, top],
    [right, top],
    [left, bottom],
    [right, bottom],
  ]
  return around(corners.map(([x, y]) => [a * x + c * y + e, b * x + d * y + f]))
}

/** The bounding box of all; undefined if there are none. */
export function joined(all: Iterable<Bounds | undefined>): Bounds | undefined {
  let whole: Bounds | undefined
  for (const one of all) {
    if (!one) continue
    whole = whole
      ? {
          left: Math.min(whole.left, one.left),
          top: Math.min(whole.top, one.top),
          right: Math.max(whole.right, one.right),
          bottom: Math.max(whole.bottom, one.bottom),
        }
      : one
  }
  return whole
}

function around(points: readonly Point[]): Bounds | undefined {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }
  for (const [x, y] of points) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue
    box.left = Math.min(box.left, x)
    box.top = Math.min(box.top, y)
    box.right = Math.max(box.right, x)
    box.bottom = Math.max(box.bottom, y)
  }
  return box.left <= box.right ? box : undefined
}

/** The box of a basic shape in its own units, without transform and stroke; undefined for other elements. */
export function boundsOf(element: string, attribute: Attribute): Bounds | undefined {
  const at = (name: string) => pixelsOf(attribute(name)) ?? 0
  const box = (x: number, y: number, width: number, height: number) =>
    width > 0 && height > 0 ? { left: x, top: y, right: x + width, bottom: y + height } : undefined
  const round = (rx: number, ry: number) => box(at('cx') - rx, at('cy') - ry, 2 * rx, 2 * ry)
  switch (element) {
    case 'rect':
    case 'image':
      return box(at('x'), at('y'), at('width'), at('height'))
    case 'circle':
      return round(at('r'), at('r'))
    case 'ellipse':
      return round(at('rx'), at('ry'))
    case 'line':
      return around([
        [at('x1'), at('y1')],
        [at('x2'), at('y2')],
      ])
    case 'polyline':
    case 'polygon': {
      const numbers = numbersIn(attribute('points'))
      return around(
        Array.from({ length: Math.floor(numbers.length / 2) }, (_, i) => [numbers[2 * i]!, numbers[2 * i + 1]!]),
      )
    }
    case 'path':
      return around(pointsOfPath(attribute('d') ?? ''))
    case 'text': {
      const size = pixelsOf(attribute('font-size')) ?? 16
      const first = (name: string) => (attribute(name)?.includes('%') ? 0 : (numbersIn(attribute(name))[0] ?? 0))
      const [x, y] = [first('x'), first('y')]
      return { left: x, top: y - size, right: x + size, bottom: y }
    }
    default:
      return undefined
  }
}

/** The number of arguments of each path command (SVG 2, 9.3). */
const taken: Readonly<Record<string, number>> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 }
const pathPart = /([mlhvcsqtaz])([^mlhvcsqtaz]*)/gi

/** Points that bound a path: the control points of curves, and points on arcs. */
function pointsOfPath(d: string): Point[] {
  const points: Point[] = []
  let [x, y, startX, startY] = [0, 0, 0, 0]
  for (const [, letter, inner] of d.matchAll(pathPart)) {
    const command = letter!.toLowerCase()
    const isRelative = letter === command
    // The two flags of an arc need no separator.
    const numbers = command === 'a' ? arcNumbers(inner!) : numbersIn(inner)
    const count = taken[command]!
    if (!count) {
      ;[x, y] = [startX, startY]
      continue
    }
    for (let at = 0; at + count <= numbers.length; at += count) {
      const [fromX, fromY] = isRelative ? [x, y] : [0, 0]
      const given = numbers.slice(at, at + count)
      if (command === 'h') x = fromX + given[0]!
      else if (command === 'v') y = fromY + given[0]!
      else if (command === 'a') {
        const to: Point = [fromX + given[5]!, fromY + given[6]!]
        points.push(...pointsOfArc([x, y], to, given))
        ;[x, y] = to
      } else {
        for (let i = 0; i + 2 < count; i += 2) points.push([fromX + given[i]!, fromY + given[i + 1]!])
        ;[x, y] = [fromX + given[count - 2]!, fromY + given[count - 1]!]
      }
      if (command === 'm' && at === 0) [startX, startY] = [x, y]
      points.push([x, y])
    }
  }
  return points
}

function arcNumbers(text: string): number[] {
  const plain = numbersIn(text)
  if (plain.length % 7 === 0 && plain.every((value, i) => ![3, 4].includes(i % 7) || value === 0 || value === 1))
    return plain
  // Flags without separators, as in '5 5 0 0110 10'.
  const numbers: number[] = []
  let rest = text
  for (let i = 0; rest; i++) {
    const found = ([3, 4].includes(i % 7) ? /^[\s,]*([01])/ : /^[\s,]*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/i).exec(
      rest,
    )
    if (!found) break
    numbers.push(Number(found[1]))
    rest = rest.slice(found[0].length)
  }
  return numbers
}

/** Points on an arc, from its centre parametrisation (SVG 2, B.2.4). */
function pointsOfArc([x1, y1]: Point, [x2, y2]: Point, given: readonly number[]): Point[] {
  const [rawX = 0, rawY = 0, rotation = 0, large = 0, sweep = 0] = given
  let [rx, ry] = [Math.abs(rawX), Math.abs(rawY)]
  if (!rx || !ry) return []
  const [cos, sin] = [Math.cos((rotation * Math.PI) / 180), Math.sin((rotation * Math.PI) / 180)]
  const [dx, dy] = [(x1 - x2) / 2, (y1 - y2) / 2]
  const [px, py] = [cos * dx + sin * dy, cos * dy - sin * dx]
  const scale = Math.sqrt(Math.max(1, (px / rx) ** 2 + (py / ry) ** 2))
  ;[rx, ry] = [rx * scale, ry * scale]
  const below = (rx * py) ** 2 + (ry * px) ** 2
  const factor = (large === sweep ? -1 : 1) * Math.sqrt(Math.max(0, ((rx * ry) ** 2 - below) / (below || 1)))
  const [cx, cy] = [(factor * rx * py) / ry, (-factor * ry * px) / rx]
  const angle = Math.atan2((py - cy) / ry, (px - cx) / rx)
  const end = Math.atan2((-py - cy) / ry, (-px - cx) / rx)
  let span = end - angle
  if (sweep && span < 0) span += 2 * Math.PI
  if (!sweep && span > 0) span -= 2 * Math.PI
  return Array.from({ length: 17 }, (_, step) => {
    const at = angle + (span * step) / 16
    const [ex, ey] = [cx + rx * Math.cos(at), cy + ry * Math.sin(at)]
    return [cos * ex - sin * ey + (x1 + x2) / 2, sin * ex + cos * ey + (y1 + y2) / 2]
  })
}
