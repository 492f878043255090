// Checks Conventional Commits (https://www.conventionalcommits.org) for the commits of a change; older history is not checked.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isMain, root } from './child.mjs'

const types = ['feat', 'fix', 'refactor', 'perf', 'docs', 'test', 'build', 'ci', 'chore', 'revert', 'style']
const header = new RegExp(`^(?:${types.join('|')})(?:\\([a-z0-9./-]+(?:, ?[a-z0-9./-]+)*\\))?!?: \\S.*$`)

/**
 * The faults of a commit message, one sentence each. Messages that git writes itself (merges, reverts, `fixup!`) are accepted,
 * because they do not reach the main branch unchanged.
 * @param {string} message
 * @returns {string[]}
 */
export function commitFaults(message) {
  // Git removes comments from the message, and everything below the scissors line of `git commit -v`.
  const [text] = message.split(/^# -+ >8 -+$/m)
  const [subject = '', second = ''] = text.split('\n').filter((line) => !line.startsWith('#'))
  if (/^(?:Merge |Revert "|fixup! |squash! |amend! )/.test(subject)) return []
  const faults = []
  if (!header.test(subject))
    faults.push(`The subject must be "type(scope): description" with one of the types ${types.join(', ')}.`)
  if ([...subject].length > 72)
    faults.push(`The subject has ${[...subject].length} characters, at most 72 are allowed.`)
  if (subject.endsWith('.')) faults.push('The subject must not end with a full stop.')
  if (second.trim()) faults.push('The second line must be empty.')
  return faults
}

/**
 * The faulty commits between the merge base with `base` and HEAD, except those of merged branches, as
 * `abc1234 subject: fault`. If the base is unknown, such as `origin/main` in a repository without a remote, there is no
 * change to check, and no fault.
 * @param {string} base
 * @param {string} cwd
 * @returns {string[]}
 */
export function faultyCommits(base = 'origin/main', cwd = root) {
  const { status, stdout } = spawnSync(
    'git',
    ['log', '-z', '--first-parent', '--no-merges', '--format=%h%n%B', `${base}..HEAD`],
    {
      cwd,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  )
  if (status !== 0) return []
  return stdout
    .split('\0')
    .filter(Boolean)
    .flatMap((entry) => {
      const [hash, ...lines] = entry.split('\n')
      return commitFaults(lines.join('\n')).map((fault) => `${hash} ${lines[0]}: ${fault}`)
    })
}

// `node tools/commits.mjs FILE` checks the message in a file, as git's commit-msg hook asks; without a file, the commits of the change.
if (isMain(import.meta.url)) {
  const [file] = process.argv.slice(2)
  const faults = file ? commitFaults(readFileSync(file, 'utf8')) : faultyCommits(process.env.BASE || undefined)
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
}
