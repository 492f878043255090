// Reads CHANGELOG.md, and writes a release into it.

const heading = /^## \[(.+?)\](?: - (\d{4}-\d{2}-\d{2}))?$/gm

/**
 * The sections in their order, newest first.
 * @param {string} text
 * @returns {{ name: string, day: string | undefined, body: string }[]}
 */
export function sections(text) {
  const found = [...text.matchAll(heading)]
  return found.map((match, at) => ({
    name: match[1],
    day: match[2],
    body: text.slice(match.index + match[0].length, found[at + 1]?.index).trim(),
  }))
}

/**
 * The changelog with its unreleased changes moved to a version and date. Throws if there are none or if the version already
 * exists.
 * @param {string} text
 * @param {string} version
 * @param {string} day
 */
export function released(text, version, day) {
  const [unreleased, ...others] = sections(text)
  if (unreleased?.name !== 'Unreleased') throw new Error("CHANGELOG.md does not begin with a section 'Unreleased'.")
  if (!unreleased.body) throw new Error("CHANGELOG.md says nothing under 'Unreleased': there is nothing to release.")
  if (others.some(({ name }) => name === version)) throw new Error(`CHANGELOG.md already has ${version}.`)
  return text.replace('## [Unreleased]', `## [Unreleased]\n\n## [${version}] - ${day}`)
}
