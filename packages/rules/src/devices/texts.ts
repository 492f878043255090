/**
 * Bytes of the own texts of a device together. An index holds them and copies of where the device is, within 1,200 bytes in all
 * (`device_texts_fit_the_index`); the copies are cut off to 604 bytes where they have to be.
 */
const mostBytes = 590

/** What is wrong with the length of the texts of a device in bytes of UTF-8: Latin letters never come near the bound. */
export function deviceTextsFault(texts: readonly unknown[]): string | undefined {
  const { length } = new TextEncoder().encode(texts.filter(Boolean).join(''))
  return length <= mostBytes ? undefined : 'Name, room and location are too long together: shorten them.'
}
