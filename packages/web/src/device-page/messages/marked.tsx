import { partsFound } from '@caretaker/rules/texts/search-form.ts'

/** A text with the search term highlighted. */
export function Marked({ text, find }: { text: string; find: string }) {
  return partsFound(find, text).map(({ part, isFound }, at) =>
    // oxlint-disable-next-line react/no-array-index-key -- parts of one text have no other key
    isFound ? <mark key={at}>{part}</mark> : part,
  )
}
