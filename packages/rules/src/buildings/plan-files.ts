import { buildingKey } from './building.ts'

interface NamedFloor {
  /** Its id. */
  floor: string
  name: string
}

const ordinals = [
  'ground',
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
]
const isLevelWord = (word: string | undefined) => word !== undefined && /^(level|lvl|l|floor|fl|f|storey)$/.test(word)
const isOrdinalEnding = (word: string | undefined) => word !== undefined && /^(st|nd|rd|th)$/.test(word)

/** The level in a name such as 'Level 2', 'first-floor' or 'GF'; undefined if it has none or several. */
function levelOf(name: string): number | undefined {
  const parts: readonly string[] = name.toLowerCase().match(/[a-z]+|\d+/g) ?? []
  if (/^-\d+$/.test(name.trim())) return Number(name)
  const numbers = parts.flatMap((part, at) => (/^\d/.test(part) ? [{ level: Number(part), at }] : []))
  // Matches '2 floor' as well as 'floor 2', but not the year in '2026 floor 2'.
  const levelNumbers = numbers.filter(
    ({ at }) =>
      isLevelWord(parts[at - 1]) ||
      isOrdinalEnding(parts[at + 1]) ||
      (isLevelWord(parts[at + 1]) && !numbers.some((other) => other.at === at + 2)),
  )
  const levels = new Set((levelNumbers.length ? levelNumbers : numbers).map(({ level }) => level))
  const [number] = levels.size === 1 ? levels : []
  const isBelow = parts.includes('basement') || (parts.includes('lower') && parts.includes('ground'))
  if (isBelow) return -(number ?? 1)
  const word = parts.flatMap((part) => {
    const at = part === 'g' || part === 'gf' ? 0 : ordinals.indexOf(part)
    return at === -1 ? [] : [at]
  })
  return word.length === 1 ? word[0] : number
}

/** Extensions of accepted floor plan files. */
export const planEndings = ['svg', 'svgz', 'pdf', 'png', 'jpg', 'jpeg', 'webp'] as const
const ending = new RegExp(String.raw`\.(?:svg\.gz|xml|${planEndings.join('|')})$`, 'i')

/** A file name without its extension. */
export const planStem = (file: string): string => file.replace(ending, '')

const stemOf = (file: string) =>
  planStem(file)
    .replaceAll(/[_.\s]+/g, ' ')
    .trim()

/**
 * Matches plan files to floors by name: the file is named like the floor, ends with its name, or contains its level. A
 * file that matches several floors, or whose floor matches several files, is not assigned.
 */
export function floorsOfFiles(floors: readonly NamedFloor[], files: readonly string[]): (string | undefined)[] {
  const found = files.map((file) => {
    const stem = stemOf(file)
    const key = buildingKey(stem)
    const level = levelOf(stem)
    const isLike = (name: string) => {
      const own = levelOf(name)
      if (level !== undefined && own !== undefined) return level === own
      return buildingKey(name) !== '' && key.endsWith(`-${buildingKey(name)}`)
    }
    const same = floors.filter(({ name }) => buildingKey(stemOf(name)) === key)
    const [first, ...others] = same.length ? same : floors.filter(({ name }) => isLike(stemOf(name)))
    return others.length ? undefined : first?.floor
  })
  return found.map((floor) => (found.filter((other) => other === floor).length === 1 ? floor : undefined))
}
