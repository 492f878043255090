/** Longest tag name (devices specification, section 5) and access rights tag name (core gaps B14), in characters. */
export const tagNameLength = 20
export const accessRightsTagNameLength = 50

/** The validation error of a tag name, as worded in the specification; undefined if there is none. */
export function tagNameFault(name: string, others: readonly string[]): string | undefined {
  if (name === '') return 'Tag name is required!'
  if (/\s/.test(name)) return 'No spaces in tag'
  if (!/^[A-Za-z0-9]+$/.test(name)) return 'Tag name can only have letters and numbers'
  if (name.length > tagNameLength) return 'Tag name can only 20 characters'
  if (others.some((other) => other.toLowerCase() === name.toLowerCase())) return 'Tag name has already been used'
  return undefined
}
