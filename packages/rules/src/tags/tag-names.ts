/** Longest name of a tag (devices specification, section 5) and of an access rights tag (core gaps B14). */
export const tagNameLength = 20
export const accessRightsTagNameLength = 50

/** What is wrong with the name of a tag, in the specification's words; undefined when nothing is. */
export function tagNameFault(name: string, others: readonly string[]): string | undefined {
  if (name === '') return 'Tag name is required!'
  if (/\s/.test(name)) return 'No spaces in tag'
  if (!/^[A-Za-z0-9]+$/.test(name)) return 'Tag name can only have letters and numbers'
  if (name.length > tagNameLength) return 'Tag name can only 20 characters'
  if (others.some((other) => other.toLowerCase() === name.toLowerCase())) return 'Tag name has already been used'
  return undefined
}
