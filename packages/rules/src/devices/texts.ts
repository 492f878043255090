/**
 * Maximum total bytes of a device's own texts. One index holds them and copies of its location within 1,200 bytes
 * (`device_texts_fit_the_index`); the copies are truncated to 604 bytes if needed.
 */
const mostBytes = 590

/** The validation error if a device's texts are too long, in UTF-8 bytes; Latin text stays far below the limit. */
export function deviceTextsFault(texts: readonly unknown[]): string | undefined {
  const { length } = new TextEncoder().encode(texts.filter(Boolean).join(''))
  return length <= mostBytes ? undefined : 'Name, room and location are too long together: shorten them.'
}
