import type { FileType } from '../files/types.ts'
import { heicText, isHeic } from '../files/types.ts'

/** Accepted photograph types; phones produce the first. */
export const photoTypes = ['image/jpeg', 'image/png', 'image/webp'] as const satisfies FileType[]

/** Limits of a property's photographs: characters, bytes of one, and number. */
export const recordLimits = { title: 100, location: 80, note: 1000, bytes: 10_000_000, photographs: 1000 } as const

/** When a photograph was taken: as entered, else from its metadata if plausible, else when it was added. */
export function takenAt({
  entered,
  own,
  now,
}: {
  entered?: number | undefined
  own?: number | undefined
  now: number
}): number {
  if (entered !== undefined) return entered
  return own !== undefined && own >= firstPhotographs && own <= now ? own : now
}

/**
 * A camera whose clock was never set starts at about its year of manufacture; no phone took photographs before this
 * date.
 */
const firstPhotographs = Date.UTC(2000, 0, 2)

/** The file name of a photograph: its title, without characters that file names cannot contain. */
export function photoName(title: string, ending: string): string {
  const plain = title
    .replaceAll(/[/\\:*?"<>|\p{Cc}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return `${plain || 'Photograph'}.${ending}`
}

/** The file names of several photographs; duplicates are numbered. */
export function photoNames(photographs: readonly { title: string; ending: string }[]): string[] {
  const used = new Set<string>()
  return photographs.map(({ title, ending }) => {
    let name = photoName(title, ending)
    for (let number = 2; used.has(name.toLowerCase()); number++) name = photoName(`${title} ${number}`, ending)
    used.add(name.toLowerCase())
    return name
  })
}

/** The validation error of a file chosen as a photograph, before upload; undefined if it is accepted. */
export function photoFault({ type, size, name }: { type: string; size: number; name: string }): string | undefined {
  if (isHeic({ type, name })) return heicText
  if (!photoTypes.some((one) => one === type)) return 'The photograph must be a JPEG, PNG or WebP file.'
  if (size > recordLimits.bytes) return `The photograph must be at most ${recordLimits.bytes / 1_000_000} MB.`
  return undefined
}
