import type { FileType } from '../files/types.ts'
import { heicText, isHeic } from '../files/types.ts'

/** What a photograph of a home may be; phones make the first of them. */
export const photoTypes = ['image/jpeg', 'image/png', 'image/webp'] as const satisfies FileType[]

/** Bounds of the photographs of a home: characters, bytes of one, and how many there may be. */
export const recordLimits = { title: 100, location: 80, note: 1000, bytes: 10_000_000, photographs: 1000 } as const

/** When a photograph was taken: what somebody says, else what it says itself where that can be, else when it was added. */
export function takenAt({
  said,
  own,
  now,
}: {
  said?: number | undefined
  own?: number | undefined
  now: number
}): number {
  if (said !== undefined) return said
  return own !== undefined && own >= firstPhotographs && own <= now ? own : now
}

/** A camera whose clock was never set begins about its year of make; no telephone took photographs before. */
const firstPhotographs = Date.UTC(2000, 0, 2)

/** The name under which a photograph is saved: its title, without what no file name has. */
export function photoName(title: string, ending: string): string {
  const plain = title
    .replaceAll(/[/\\:*?"<>|\p{Cc}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return `${plain || 'Photograph'}.${ending}`
}

/** The same of several that are saved together: what would be called the same is numbered. */
export function photoNames(photographs: readonly { title: string; ending: string }[]): string[] {
  const used = new Set<string>()
  return photographs.map(({ title, ending }) => {
    let name = photoName(title, ending)
    for (let number = 2; used.has(name.toLowerCase()); number++) name = photoName(`${title} ${number}`, ending)
    used.add(name.toLowerCase())
    return name
  })
}

/** What is wrong with a file that is chosen as a photograph, before any of it is sent; undefined for one that may be sent. */
export function photoFault({ type, size, name }: { type: string; size: number; name: string }): string | undefined {
  if (isHeic({ type, name })) return heicText
  if (!photoTypes.some((one) => one === type)) return 'The photograph must be a JPEG, PNG or WebP file.'
  if (size > recordLimits.bytes) return `The photograph must be at most ${recordLimits.bytes / 1_000_000} MB.`
  return undefined
}
