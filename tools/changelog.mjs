// What CHANGELOG.md says, and how a release is written into it.

const heading = /^## \[(.+?)\](?: - (\d{4}-\d{2}-\d{2}))?$/gm

/**
 * The sections in their order, the newest first.
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
 * Gives what is unreleased a version and a day. Throws where nothing is, or where the version is there already.
 * @param {string} text
 * @param {string} version
 * @param {string} day
 */
export function released(text, version, day) {
  const [unreleased, ...others] = sections(text)
  if (unreleased?.name !== 'Unreleased') throw new Error("CHANGELOG.md does not begin with a section 'Unreleased'.")
  if (!unreleased.body) throw new Error("CHANGELOG.md says nothing under 'Unreleased': there is nothing to release.")
  if (others.some(({ name }) => name === version)) throw new Error(`CHANGELOG.md has ${version} already.`)
  return text.replace('## [Unreleased]', `## [Unreleased]\n\n## [${version}] - ${day}`)
}
